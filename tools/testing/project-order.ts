// The order of test files: projects with long files first, so that none of them is left over when the others have ended.
import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

const ORDER = ['web', 'mocking', 'processes', 'profile-in-chromium', 'server', 'unit']

const placeOf = ({ project }: TestSpecification): number => ORDER.findIndex(name => project.name.startsWith(name))

export class ProjectOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Files of one project stay together, because they share workers.
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}
