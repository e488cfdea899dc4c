// Shared by the playlist pages: types, addresses, status and texts of codes.
import type { Answer } from '../../api/client.ts'
import type { Tone } from '../../parts/values/status-badge.tsx'
import { playlists as texts } from '../../texts/en/playlists.ts'
import { runs } from '../../texts/en/runs.ts'
import { say } from '../../texts/say.ts'

export type Overview = Answer<'GET /api/playlists/overview'>
export type Mapping = Overview['mappings'][number]
export type Endpoint = Overview['endpoints'][number]
export type Account = Answer<'GET /api/playlists/providers'>['providers'][number]
export type List = Answer<'GET /api/playlists/resources'>['resources'][number]
export type Preview = Answer<'POST /api/playlists/mappings/{mapping_id}/preview'>['preview']
export type Unmatched = NonNullable<Preview['unresolved']>[number]
export type Ruleset = Answer<'GET /api/playlists/rulesets'>['rulesets'][number]

export const KEY = ['playlists'] as const
export const OVERVIEW = ['playlists', 'overview'] as const

export const addressOf = (id: string) => `/playlists/${encodeURIComponent(id)}`

type Named = Readonly<Record<string, string>>

export const reasonOf = (code: string) => (texts.reasons as Named)[code] ?? code

export function errorOf(code: string, overflow = 0): string {
  if (code === 'capacity_exceeded') return say(texts.errors.capacity_exceeded, { n: overflow })
  return (texts.errors as Named)[code] ?? say(texts.errors.other, { code })
}

export const warningOf = (code: string) => (texts.warnings as Named)[code] ?? say(texts.warnings.other, { code })

/** Warnings about removals that need approval. */
export const HELD: readonly string[] = [
  'mass_delete_blocked',
  'source_emptied',
  'targets_emptied',
  'first_run_keeps',
  'confirmation_required',
]

interface Status {
  readonly tone: Tone
  readonly label: string
}

export function statusOf(mapping: Pick<Mapping, 'valid' | 'running' | 'enabled' | 'last_result'>): Status {
  const result = mapping.last_result
  if (mapping.running) return { tone: 'busy', label: runs.status.working }
  if (!mapping.valid) return { tone: 'bad', label: texts.status.broken }
  if (!mapping.enabled || result === null || result.error === 'cancelled') return PAUSED
  if (result.error !== undefined) return FAILED
  return result.partial ? needs((result.unresolved_count ?? 0) + (result.blocked_removals ?? 0)) : IN_SYNC
}

const PAUSED: Status = { tone: 'idle', label: runs.status.paused }
const FAILED: Status = { tone: 'bad', label: runs.status.failed }
const IN_SYNC: Status = { tone: 'good', label: runs.status.in_sync }

/** The status of a partly synced list with `n` unsynced entries. */
function needs(n: number): Status {
  return n === 0 ? FAILED : { tone: 'warn', label: say(runs.status.need_you, { n }) }
}

/** The result of one sync or read in the activity. */
export function activityStatus({ type, status, details, unresolved = 0 }: Overview['activity'][number]): Status {
  if (status === 'error') return details === 'cancelled' ? PAUSED : FAILED
  if (type !== 'Run') return { tone: 'idle', label: texts.history.results.refreshed }
  return status === 'partial' ? needs(unresolved) : IN_SYNC
}

/** Converts to a name that the service accepts: allowed characters and length. */
export function toName(given: string, most = 64): string {
  const allowed = given
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}\p{M} _.'\-&()]+/gu, ' ')
    .replaceAll(/ +/g, ' ')
    .replace(/^[^\p{L}\p{N}]+/u, '')
  return [...allowed].slice(0, most).join('').trim()
}

export function rulesText({ membership, order, ruleset }: Pick<Mapping, 'membership' | 'order' | 'ruleset'>): string {
  const { rules } = texts.one
  if (ruleset !== null)
    return [say(rules.spread, { name: ruleset.name }), (rules as Named)[ruleset.direction] ?? ''].join(' · ')
  return [(rules as Named)[membership] ?? membership, ...(order === 'preserve' ? [rules.preserve] : [])].join(' · ')
}
