import { defined, optionalBody, PlayheadError, type PluginApp, skipSerializer, Type } from '@playhead/sdk'
import { bad } from '../account.ts'
import type { CaptureEntry } from '../contract.ts'
import { readPath } from '../names.ts'
import type { Parts } from '../parts.ts'
import { withChildren } from '../run/retention.ts'
import { ClearAnswer, DeleteAnswer } from './answers.ts'
import { matches, Path } from './files.ts'
import { Name, Profile, type ProfileBody, profileIn } from './jobs.ts'

const DAY_MS = 86_400_000
const DeleteBody = Type.Object(
  {
    path: Path,
    delete_children: Type.Boolean({ default: true, description: 'For a bundle: also deletes its files.' }),
    dry_run: Type.Boolean({ default: false }),
  },
  { additionalProperties: true },
)

const ClearBody = optionalBody(
  Type.Object(
    {
      provider: Name,
      ...Profile,
      feature: Name,
      older_than_days: Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: 100_000 }), Type.Null()])),
      before: Type.Optional(Type.Union([Type.String({ maxLength: 40, description: 'ISO 8601.' }), Type.Null()])),
      dry_run: Type.Optional(Type.Boolean()),
    },
    // A filter with a misspelled name would delete everything.
    { additionalProperties: false },
  ),
)
interface ClearFilter extends ProfileBody {
  readonly provider?: string | null
  readonly feature?: string | null
  readonly older_than_days?: number | null
  readonly before?: string | null
  readonly dry_run?: boolean
}

export function registerDeleteRoutes(app: PluginApp, parts: Parts): void {
  app.post<{ Body: { path: string; delete_children: boolean; dry_run: boolean } }>(
    '/api/snapshots/delete',
    { ...skipSerializer, schema: { summary: 'Delete a capture', body: DeleteBody, response: { 200: DeleteAnswer } } },
    async ({ body: { path: given, delete_children: alsoChildren, dry_run: dryRun } }) => {
      await parts.ready()
      const entry = await parts.catalogue.get(readPath(given))
      const entries = await parts.catalogue.list()
      const bundle = entries.find(({ path, children }) => path === entry.header.bundle_path && children.length > 0)
      if (bundle !== undefined)
        throw new PlayheadError('PLH_CONFLICT', 'It is part of a bundle. Delete the bundle.', {
          wire: 'in_use',
          details: { bundle_path: bundle.path },
        })
      const paths = alsoChildren ? withChildren(entry, entries) : [entry.path]
      const result = await remove(parts, paths, dryRun)
      return { ok: result.ok, result }
    },
  )

  app.post<{ Body: ClearFilter | null }>(
    '/api/snapshots/clear',
    { ...skipSerializer, schema: { summary: 'Delete captures', body: ClearBody, response: { 200: ClearAnswer } } },
    async ({ body }) => {
      await parts.ready()
      const filter = body ?? {}
      const entries = await parts.catalogue.list()
      const chosen = entries.filter((entry) => isChosen(entry, filter, parts.now()))
      const paths = wholeBundles(chosen, entries)
      const sizes = new Map(entries.map(({ path, size }) => [path, size]))
      const result = await remove(parts, paths, filter.dry_run === true)
      const summary = {
        removed_files: result.deleted.length,
        removed_items: 0,
        freed_bytes: result.deleted.reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0),
      }
      return { ok: result.ok, result: { ...result, deleted_count: result.deleted.length, summary }, summary }
    },
  )
}

/** Deletes, or only reports what would be deleted. */
async function remove({ catalogue, log, events }: Parts, paths: readonly string[], dryRun: boolean) {
  const left = new Set(dryRun || paths.length === 0 ? [] : await catalogue.remove(paths))
  const deleted = paths.filter((path) => !left.has(path))
  const errors = [...left].map((path) => ({ path, error: 'not_deleted' }))
  if (!dryRun && deleted.length > 0) {
    log.info({ count: deleted.length }, 'captures were deleted')
    events.emit('captures.deleted', { count: deleted.length, paths: deleted.slice(0, 20) })
  }
  return { ok: errors.length === 0, dry_run: dryRun, deleted, errors }
}

function isChosen(entry: CaptureEntry, filter: ClearFilter, nowMs: number): boolean {
  const { provider, feature, older_than_days: days, before } = filter
  const given = (value: string | null | undefined) => (value == null || value.trim() === '' ? undefined : value)
  const known = defined({ provider: given(provider), instance: given(profileIn(filter)), feature: given(feature) })
  const atMs = Date.parse(entry.header.created_at) || entry.mtime * 1_000
  const endMs = given(before) === undefined ? Infinity : Date.parse(before!)
  if (Number.isNaN(endMs)) throw bad('invalid_time', '"before" is a time in ISO 8601, such as 2026-01-31T00:00:00Z.')
  return matches(entry, known) && atMs < endMs && (days == null || atMs < nowMs - days * DAY_MS)
}

/** Children are deleted with their bundle, and only with it. */
function wholeBundles(chosen: readonly CaptureEntry[], entries: readonly CaptureEntry[]): readonly string[] {
  const paths = new Set(chosen.flatMap((entry) => withChildren(entry, entries)))
  const byPath = new Map(entries.map((entry) => [entry.path, entry]))
  return [...paths].filter((path) => {
    const bundle = byPath.get(path)?.header.bundle_path
    return bundle === undefined || !byPath.has(bundle) || paths.has(bundle)
  })
}
