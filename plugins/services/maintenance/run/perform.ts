// Runs maintenance actions of plugins: checks, confirmation, hold, backup, the actions, and their results.
import {
  BACKUPS,
  type DataPart,
  isPlayheadError,
  MAINTENANCE,
  type MaintenanceAction,
  type MaintenanceDescription,
  type MaintenanceEffect,
  type MaintenanceOptions,
  type MaintenanceTouch,
  PlayheadError,
  type PluginContext,
  type Remote,
} from '@playhead/sdk'
import type { RunStates } from './states.ts'

export interface Step {
  /** Id of the action. */
  readonly id: string
  readonly options?: MaintenanceOptions
}

interface Order {
  readonly steps: readonly Step[]
  /** Name of the whole job in run states, logs and the names of backups. */
  readonly name: string
  readonly confirm: boolean
  readonly dryRun: boolean
}

interface Summary {
  readonly removed_files: number
  readonly removed_items: number
  readonly changed_items: number
  readonly freed_bytes: number
}

export interface Performed {
  readonly dry_run: boolean
  readonly touches: readonly (MaintenanceTouch & { readonly action: string })[]
  readonly summary: Summary
  readonly backup_path: string | null
  readonly advice: 'dry_run' | null
  /** Results by action. */
  readonly details: Readonly<Record<string, MaintenanceEffect['details']>>
}

interface Known extends MaintenanceDescription {
  readonly id: string
}

export interface Performer {
  /** All actions of running plugins, by id. */
  list(): Promise<readonly Known[]>
  /** Throws `unknown_maintenance_action` (404) unless a running plugin has it. */
  assertKnown(id: string): void
  /** Throws `capability_unavailable` (503) while its plugin is not running. */
  find(id: string): Promise<Known & { readonly action: Remote<MaintenanceAction> }>
  perform(order: Order): Promise<Performed>
  /** Creates a backup before data are lost. Throws `backup_unavailable` (503). */
  backup(scope: 'app_state' | 'full', name: string, within: string): Promise<string>
}

export function createPerformer(ctx: PluginContext, states: RunStates): Performer {
  const log = ctx.log.channel('MAINTENANCE')
  const data = ctx.data()

  const idsNow = () => ctx.capabilities(MAINTENANCE).map(({ token }) => token.slice(MAINTENANCE.prefix.length))

  function assertKnown(id: string): void {
    if (idsNow().includes(id)) return
    throw new PlayheadError('PLH_NOT_FOUND', `There is no maintenance action ${JSON.stringify(id.slice(0, 80))}.`, {
      wire: 'unknown_maintenance_action',
    })
  }

  async function find(id: string) {
    const action = ctx.use(MAINTENANCE.of(id))
    return { id, action, ...(await action.describe()) }
  }

  async function backup(scope: 'app_state' | 'full', name: string, within: string): Promise<string> {
    const backups = ctx.tryUse(BACKUPS)
    if (backups === undefined) throw noBackup()
    try {
      const { path } = await backups.create({
        scope,
        label: `before-${name}`.slice(0, 48),
        trigger: `maintenance_${name}`,
        within,
      })
      return path
    } catch (error) {
      if (isPlayheadError(error, 'PLH_CAPABILITY_GONE') || isPlayheadError(error, 'PLH_UNSUPPORTED')) throw noBackup()
      throw error
    }
  }

  async function perform({ steps, name, confirm, dryRun }: Order): Promise<Performed> {
    const chosen = await Promise.all(
      steps.map(async ({ id, options = {} }) => ({ ...(await find(id)), given: options })),
    )
    for (const { id, given, options: known = [] } of chosen) {
      const unknown = Object.keys(given).find((option) => !known.includes(option))
      if (unknown !== undefined)
        throw new PlayheadError(
          'PLH_INVALID',
          `The action ${id} has no option ${JSON.stringify(unknown.slice(0, 80))}.`,
          { wire: 'unsupported_option' },
        )
    }
    const previews = await Promise.all(chosen.map(({ action, given }) => action.preview(given)))
    const advice = chosen.some(({ adviseDryRun }) => adviseDryRun === true) ? 'dry_run' : null
    if (dryRun) return performed(chosen, previews, { dry_run: true, backup_path: null, advice, freedBytes: 0 })
    if (chosen.some(({ losesData }) => losesData) && !confirm) throw confirmationRequired()

    const names = [...new Set([name, ...steps.map(({ id }) => id)])]
    using hold = ctx.work.begin({
      kind: 'maintenance',
      label: chosen.map(({ title }) => title).join(', '),
      exclusive: chosen.some(({ alone }) => alone),
    })
    return await states.follow(names, async (step) => {
      const isIdle = (await Promise.all(chosen.map(({ action, given }) => action.preview(given)))).every(
        ({ touches }) => touches.length === 0,
      )
      let backupPath: string | null = null
      if (!isIdle && chosen.some(({ backupFirst }) => backupFirst)) {
        step('Making a backup.')
        backupPath = await backup('app_state', name, hold.id)
      }
      const before = await data.parts()
      const effects: MaintenanceEffect[] = []
      for (const [index, { action, given, title }] of chosen.entries()) {
        step(title, Math.floor((100 * index) / chosen.length))
        effects.push(await action.run(given, ctx.signal))
      }
      await shrink(effects.flatMap(({ touches }) => touches))
      const touched = new Set(effects.flatMap(({ touches }) => touches.map(({ path }) => path)))
      const freedBytes = freedOf(touched, before, await data.parts())
      const done = performed(chosen, effects, { dry_run: false, backup_path: backupPath, advice, freedBytes })
      log.info({ action: name, ...done.summary, backup: backupPath }, `maintenance: ${name}`)
      ctx.events.emit('maintenance.done', { action: name, ...done.summary, backup: backupPath })
      return done
    })
  }

  /** Deleted rows leave free space in the file, so plugins' own databases are compacted. */
  async function shrink(touches: readonly MaintenanceTouch[]): Promise<void> {
    const paths = new Set(
      touches.flatMap(({ path, op, table }) =>
        op === 'delete' && table !== undefined && path.startsWith('databases/') ? [path] : [],
      ),
    )
    for (const path of paths) {
      try {
        await data.optimise(path)
      } catch (error) {
        log.warn({ err: error, path }, 'a database could not be compacted; its free space is reused')
      }
    }
  }

  return {
    async list() {
      const known = await Promise.all(
        idsNow().map(async (id) => {
          try {
            const { action: _action, ...description } = await find(id)
            return [description]
          } catch (error) {
            log.warn({ err: error, action: id }, 'a maintenance action could not be inspected')
            return []
          }
        }),
      )
      return known.flat().sort((a, b) => (a.id < b.id ? -1 : 1))
    },
    assertKnown,
    find,
    perform,
    backup,
  }
}

export function confirmationRequired(): PlayheadError {
  return new PlayheadError(
    'PLH_INVALID',
    'This deletes what cannot be made again. Send "confirm": true; "dry_run": true lists what it would touch.',
    { wire: 'confirmation_required' },
  )
}

function noBackup(): PlayheadError {
  return new PlayheadError(
    'PLH_NOT_READY',
    'A backup is created first, but the plugin for backups is not running. Nothing was changed.',
    { wire: 'backup_unavailable' },
  )
}

function performed(
  chosen: readonly { readonly id: string }[],
  effects: readonly MaintenanceEffect[],
  { freedBytes, ...rest }: Pick<Performed, 'dry_run' | 'backup_path' | 'advice'> & { readonly freedBytes: number },
): Performed {
  const touches = effects.flatMap((effect, index) =>
    effect.touches.map((touch) => ({ ...touch, action: chosen[index]!.id })),
  )
  const count = (is: (touch: MaintenanceTouch) => boolean) =>
    touches.filter(is).reduce((sum, { items }) => sum + items, 0)
  const isFile = ({ path, table }: MaintenanceTouch) => path !== '' && table === undefined
  return {
    ...rest,
    touches,
    summary: {
      removed_files: count((touch) => touch.op === 'delete' && isFile(touch)),
      removed_items: count((touch) => touch.op === 'delete' && !isFile(touch)),
      changed_items: count((touch) => touch.op === 'change'),
      freed_bytes: freedBytes,
    },
    details: Object.fromEntries(
      effects.flatMap(({ details }, index) => (details === undefined ? [] : [[chosen[index]!.id, details]])),
    ),
  }
}

/** Measured on disk. A database may have grown, because deleted rows leave free space in it. */
function freedOf(paths: ReadonlySet<string>, before: readonly DataPart[], after: readonly DataPart[]): number {
  const sizeAfter = new Map(after.map(({ path, sizeBytes }) => [path, sizeBytes]))
  return before
    .filter(({ path }) => paths.has(path))
    .reduce((sum, { path, sizeBytes }) => sum + Math.max(0, sizeBytes - (sizeAfter.get(path) ?? 0)), 0)
}
