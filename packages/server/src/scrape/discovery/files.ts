// Targets in JSON and YAML files. The last part of a path may contain one *.
import { readFile, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { parse } from 'yaml'
import type { FileConfig } from '../scrape-config.ts'
import type { TargetGroup } from '../targets.ts'
import { groupsIn } from './groups-in.ts'

export async function findInFiles({ files }: FileConfig): Promise<readonly TargetGroup[]> {
  const groups: TargetGroup[] = []
  for (const path of (await Promise.all(files.map(matchingFiles))).flat()) {
    const content = parse(await readFile(path, 'utf8')) as unknown
    for (const group of groupsIn(content ?? [], path))
      groups.push({ ...group, labels: { __meta_filepath: path, ...group.labels } })
  }
  return groups
}

async function matchingFiles(pattern: string): Promise<string[]> {
  const [folder, name] = [dirname(pattern), basename(pattern)]
  const star = name.indexOf('*')
  if (star < 0) return [pattern]
  const [start, end] = [name.slice(0, star), name.slice(star + 1)]
  const names = await readdir(folder)
  return names
    .filter(file => file.length >= start.length + end.length && file.startsWith(start) && file.endsWith(end))
    .toSorted()
    .map(file => join(folder, file))
}
