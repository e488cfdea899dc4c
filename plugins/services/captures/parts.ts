import type {
  Accounts,
  Actions,
  EventBus,
  FileArea,
  LibraryService,
  Logger,
  Person,
  Remote,
  WorkRegistry,
} from '@playhead/sdk'
import type { Jobs } from './run/jobs.ts'
import type { Catalogue } from './store/catalogue.ts'
import type { Work } from './work/thread.ts'

export interface Parts {
  readonly accounts: Remote<Accounts>
  readonly actions: Remote<Actions>
  readonly library: Remote<LibraryService>
  readonly files: FileArea
  readonly catalogue: Catalogue
  readonly jobs: Jobs
  /** The current users of an account. */
  readonly holds: WorkRegistry
  /** Reads and compares captures, on a thread. */
  readonly work: Remote<Work>
  readonly events: EventBus
  readonly log: Logger
  readonly version: string
  now(): number
  persons(): Promise<readonly Person[]>
  /** Resolves when interrupted work of an earlier process is settled. */
  ready(): Promise<void>
}
