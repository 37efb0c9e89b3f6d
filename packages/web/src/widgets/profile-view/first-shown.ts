/** The first file with source lines. Frames of the kernel and of libraries without symbols often have the largest value. */
export function firstShown<File extends { readonly file: string }>(files: readonly File[]): File | undefined {
  return files.find(({ file }) => file !== '') ?? files.at(0)
}
