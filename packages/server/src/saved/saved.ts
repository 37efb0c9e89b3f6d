// Everything that people save with a tenant.
import { join } from 'node:path'
import type { Annotation } from './annotation.ts'
import { MAX_ANNOTATIONS, annotation } from './annotation.ts'
import { SavedItems } from './saved-items.ts'
import type { SavedView } from './saved-view.ts'
import { MAX_VIEWS, savedView } from './saved-view.ts'

export class Saved {
  readonly views: SavedItems<SavedView>
  readonly annotations: SavedItems<Annotation>

  /** Files are in the folder `saved` of the data directory. */
  constructor(dataDirectory: string) {
    const directory = join(dataDirectory, 'saved')
    this.views = new SavedItems({ directory, name: 'views', schema: savedView, max: MAX_VIEWS })
    this.annotations = new SavedItems({ directory, name: 'annotations', schema: annotation, max: MAX_ANNOTATIONS })
  }
}
