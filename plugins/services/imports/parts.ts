import {
  ACCOUNTS,
  type Accounts,
  ACTIONS,
  CATALOG,
  type Catalog,
  createTurns,
  householdOf,
  type Importer,
  type ImporterDescription,
  IMPORTERS,
  type LentModule,
  LIBRARY,
  type LibraryService,
  METADATA,
  type Metadata,
  type Person,
  PlayheadError,
  type PluginContext,
  type Remote,
  SYNC,
} from '@playhead/sdk'
import { createGoing, type Going } from './attention.ts'
import { createJobs, type Jobs } from './run.ts'
import type { ImportWork } from './thread/thread.ts'

interface Format {
  readonly importer: Remote<Importer>
  readonly description: ImporterDescription
}

export interface Parts {
  readonly work: Remote<ImportWork>
  readonly accounts: Remote<Accounts>
  readonly library: Remote<LibraryService>
  /** Undefined without a catalog. */
  catalog(): Remote<Catalog> | undefined
  /** Undefined without a metadata service. */
  metadata(): Remote<Metadata> | undefined
  persons(): Promise<readonly Person[]>
  /** All available formats, by label. */
  formats(): Promise<readonly Format[]>
  modules(): Promise<readonly LentModule[]>
  readonly jobs: Jobs
  readonly going: Going
  /** Deletes an import. */
  remove(importId: string): Promise<void>
  /** Uploads are read one at a time. */
  readonly turns: ReturnType<typeof createTurns>
}

export function createParts(ctx: PluginContext): Parts {
  const { work } = ctx.startThread<ImportWork>('thread/thread.ts')
  const accounts = ctx.use(ACCOUNTS)
  const library = ctx.use(LIBRARY)
  const going = createGoing(ctx.store)

  async function formats(): Promise<readonly Format[]> {
    const found = await Promise.all(
      ctx.capabilities(IMPORTERS).map(async (reference): Promise<Format | undefined> => {
        const importer = ctx.use(reference)
        try {
          return { importer, description: await importer.describe() }
        } catch (error) {
          // A disabled or broken importer must not hide the others.
          ctx.log.warn({ err: error, importer: reference.token }, 'an importer could not be described')
          return undefined
        }
      }),
    )
    return found
      .filter((one) => one !== undefined)
      .sort((a, b) => a.description.label.localeCompare(b.description.label, 'en'))
  }

  return {
    work,
    accounts,
    library,
    catalog: () => ctx.tryUse(CATALOG),
    metadata: () => ctx.tryUse(METADATA),
    persons: () => householdOf(ctx),
    formats,
    async modules() {
      const all = await formats()
      if (all.length === 0)
        throw new PlayheadError('PLH_CAPABILITY_MISSING', 'No import format is available. All import plugins are off.')
      return Promise.all(all.map(({ importer }) => importer.module()))
    },
    going,
    async remove(importId) {
      await work.remove(importId)
      await going.end(importId)
    },
    jobs: createJobs({
      work,
      going,
      actions: ctx.use(ACTIONS),
      library,
      holds: ctx.work,
      sync: ctx.use(SYNC),
      events: ctx.events,
      log: ctx.log,
      signal: ctx.signal,
      now: () => Date.now(),
    }),
    turns: createTurns(),
  }
}
