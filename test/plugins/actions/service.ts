// The actions over a library in memory.
import type { Actions, LibraryService } from '@playhead/sdk'
import { createActionService } from '../../../plugins/services/actions/act.ts'

export function actionsOf(library: object): Actions {
  return createActionService({ library: library as LibraryService, log: { warn() {} } })
}
