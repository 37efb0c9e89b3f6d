// The service of a resource. The eBPF profiler knows the executable and no service, so that the executable stands in for it.

export function serviceOf(resource: readonly { readonly key: string; readonly value: string }[]): string {
  const of = (name: string): string => resource.find(({ key }) => key === name)?.value ?? ''
  return of('service.name') || of('process.executable.name')
}
