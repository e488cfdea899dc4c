// Routes that change accounts: restore, and clear.
import {
  AcrossPersons,
  assertOnePerson,
  oneOf,
  PlayheadError,
  type PluginApp,
  skipSerializer,
  Type,
} from '@playhead/sdk'
import { bad, findAccount, type Named, readFeature } from '../account.ts'
import { type CapturedFeature, type CaptureEntry, FEATURES_CAPTURED } from '../contract.ts'
import { readPath } from '../names.ts'
import type { Parts } from '../parts.ts'
import { clearAccount } from '../run/clear.ts'
import { hold } from '../run/hold.ts'
import { recorded } from '../run/recorded.ts'
import { CONFIRMATIONS, RESTORE_MODES, type RestoreMode } from '../run/restore-order.ts'
import { restore } from '../run/restore.ts'
import { childrenOf } from '../run/retention.ts'
import { JobAnswer, RestoreAnswer, ToolsClearAnswer } from './answers.ts'
import { Path } from './files.ts'
import { begin, isBackground, type JobBody, JobFields, Profile, type ProfileBody, profileIn, queued } from './jobs.ts'

const RestoreBody = Type.Object(
  {
    path: Path,
    mode: Type.String({
      default: 'merge',
      maxLength: 40,
      description: '`merge`, `sync_values`, `exact`, `clear_restore`.',
    }),
    ...Profile,
    confirm: Type.Optional(
      Type.Array(oneOf(CONFIRMATIONS), { description: 'The confirmations that `needs` of a dry run lists.' }),
    ),
    confirm_empty: Type.Optional(Type.Boolean({ description: 'The same as `empty` in `confirm`.' })),
    across_persons: AcrossPersons,
    dry_run: Type.Boolean({ default: false, description: 'Only plan; the plans can be looked at.' }),
    ...JobFields,
  },
  { additionalProperties: true, title: 'RestoreRequest' },
)
interface RestoreRequest extends JobBody, ProfileBody {
  readonly path: string
  readonly mode: string
  readonly confirm?: readonly string[]
  readonly confirm_empty?: boolean
  readonly across_persons?: boolean
  readonly dry_run: boolean
}

const ToolsClearBody = Type.Object(
  {
    provider: Type.String({ maxLength: 200 }),
    ...Profile,
    features: Type.Array(Type.String({ maxLength: 200 }), { maxItems: 20 }),
    confirm: Type.Optional(
      Type.Union([Type.String({ maxLength: 400 }), Type.Null()], {
        description: '`<PROVIDER>/<instance>`, typed by a person.',
      }),
    ),
    dry_run: Type.Boolean({ default: false, description: 'Only read and count.' }),
    ...JobFields,
  },
  { additionalProperties: true, title: 'ClearRequest' },
)
interface ToolsClearRequest extends JobBody, ProfileBody {
  readonly provider: string
  readonly features: readonly string[]
  readonly confirm?: string | null
  readonly dry_run: boolean
}

export function registerRestoreRoutes(app: PluginApp, parts: Parts): void {
  app.post<{ Body: RestoreRequest }>(
    '/api/snapshots/restore',
    {
      ...skipSerializer,
      schema: {
        ...{ summary: 'Restore an account from a capture', body: RestoreBody },
        response: { 200: RestoreAnswer, 202: JobAnswer },
      },
    },
    async ({ body }, reply) => {
      await parts.ready()
      const mode = readMode(body.mode)
      const entry = await parts.catalogue.get(readPath(body.path))
      if (entry.kind === 'broken') throw bad('invalid_capture', 'The file is not a capture, or it is damaged.')
      const named = await findAccount(parts.accounts, entry.header.provider, profileIn(body) ?? entry.header.instance)
      const { files, missing } = filesOf(entry, await parts.catalogue.list())
      for (const { header } of files) assertChangeable(named, header.feature as CapturedFeature)
      const { provider, instance } = named
      const captured = { provider: entry.header.provider, instance: entry.header.instance }
      if (!body.dry_run) assertOnePerson(await parts.persons(), [[captured, named]], body.across_persons)
      const confirmed = new Set([...(body.confirm ?? []), ...(body.confirm_empty === true ? ['empty'] : [])])
      const held = hold(parts, named, 'restore', 'Restore of')
      const started = await begin(
        parts,
        { operation: 'restore', provider, instance, feature: entry.header.feature, features: files.length },
        body,
        held,
        (job) => {
          const order = { named, entry, files, missing, mode, confirmed, dryRun: body.dry_run, holdId: held.id }
          const features = files.map(({ header }) => header.feature as CapturedFeature)
          const work = () => restore(parts, order, job)
          if (body.dry_run) return work()
          return recorded(parts, { kind: 'restore', account: { provider, instance }, features }, job, work)
        },
      )
      if (isBackground(body)) return reply.code(202).send(queued(started.id))
      const result = await started.done
      return { ok: result.ok, progress_id: started.id, result }
    },
  )

  app.post<{ Body: ToolsClearRequest }>(
    '/api/snapshots/tools/clear',
    {
      ...skipSerializer,
      schema: {
        ...{ summary: 'Remove all rows of an account at the service', body: ToolsClearBody },
        response: { 200: ToolsClearAnswer, 202: JobAnswer },
      },
    },
    async ({ body }, reply) => {
      await parts.ready()
      const named = await findAccount(parts.accounts, body.provider, profileIn(body))
      const features = readFeatures(named, body.features)
      const { provider, instance } = named
      const typed = `${provider}/${instance}`
      if (!body.dry_run && body.confirm?.trim() !== typed)
        throw bad('confirmation_required', `This removes data at the service. Type ${typed} to confirm.`, {
          confirm: typed,
        })
      const held = hold(parts, named, 'restore', 'Clearing')
      const started = await begin(
        parts,
        { operation: 'cleanup', provider, instance, feature: 'cleanup', features: features.length },
        body,
        held,
        (job) => {
          const work = () => clearAccount(parts, { named, features, holdId: held.id, dryRun: body.dry_run }, job)
          if (body.dry_run) return work()
          return recorded(parts, { kind: 'clear', account: { provider, instance }, features }, job, work)
        },
      )
      if (isBackground(body)) return reply.code(202).send(queued(started.id))
      const result = await started.done
      return { ok: result.ok, progress_id: started.id, result }
    },
  )
}

/** Throws `PLH_INVALID` (`invalid_mode`): an unknown text must not be interpreted as a mode. */
function readMode(text: string): RestoreMode {
  const mode = RESTORE_MODES.find((one) => one === text.trim().toLowerCase())
  if (mode !== undefined) return mode
  throw bad('invalid_mode', `There are the modes ${RESTORE_MODES.join(', ')}.`)
}

function filesOf(entry: CaptureEntry, entries: readonly CaptureEntry[]) {
  if (entry.kind === 'single') return { files: [entry], missing: [] }
  const children = childrenOf(entry, entries)
  const files = entry.children.flatMap((child) =>
    'path' in child ? (children.find(({ path, kind }) => path === child.path && kind === 'single') ?? []) : [],
  )
  const missing = entry.children
    .filter((child) => !files.some(({ header }) => header.feature === child.feature))
    .map(({ feature }) => feature)
  if (files.length === 0)
    throw new PlayheadError('PLH_NOT_FOUND', 'The captures of the bundle no longer exist.', {
      wire: 'capture_not_found',
    })
  return { files, missing }
}

function assertChangeable(named: Named, feature: CapturedFeature): void {
  readFeature(named, feature)
  if (named.description.features[feature]?.add !== true)
    throw new PlayheadError('PLH_UNSUPPORTED', `${named.description.label} takes no ${feature} from others.`, {
      wire: 'feature_not_available',
    })
}

function readFeatures(named: Named, given: readonly string[]): readonly CapturedFeature[] {
  const names = [...new Set(given.map((name) => name.trim().toLowerCase()).filter((name) => name !== ''))]
  if (names.length === 0) throw bad('no_features', `Name features: ${FEATURES_CAPTURED.join(', ')}.`)
  for (const name of names) {
    if (name === 'all') throw bad('unsupported_feature', 'Name each feature that is to be cleared.')
    readFeature(named, name)
  }
  return FEATURES_CAPTURED.filter((feature) => names.includes(feature))
}
