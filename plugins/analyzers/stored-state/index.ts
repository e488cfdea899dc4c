// Reports stored state of the sync: waiting, failing and abandoned items, and the state of pairs.
import { defined, type OpenItem, reasonLabel, type StoredArtifact } from '@playhead/sdk'
import { type AnalyzerWorld, defineAnalyzer, type Finding } from '@playhead/sdk/analyzer'
import { episodeCode } from '@playhead/sdk/items'

const DAY_MS = 86_400_000
const STALE_MS = 7 * DAY_MS
const HOT = 3
const SHOWN = 5

const kind = (type: string, severity: 'error' | 'warn' | 'info', meaning: string) => ({
  type,
  severity,
  category: 'artifact',
  meaning,
})

export default defineAnalyzer({
  label: 'Sync state',
  problems: [
    kind('cw_state_unresolved_backlog', 'info', 'Items are waiting for the next try.'),
    kind('cw_state_blackbox_active', 'warn', 'Items are on hold because they kept failing.'),
    kind('cw_state_flap_hot', 'warn', 'Items keep failing and will soon be put on hold.'),
    kind('cw_state_flap_active', 'info', 'Items failed and will be tried again.'),
    kind(
      'cw_state_watermark_future',
      'warn',
      'The time of the last read is in the future. The clock of the server was wrong.',
    ),
    kind('cw_state_pair_state_orphaned', 'info', 'The sync state of a pair that is off or deleted is still stored.'),
    kind(
      'cw_state_pair_state_invalid',
      'error',
      'The sync state of a pair cannot be read. Reset the pair. This removes nothing from your accounts.',
    ),
    kind('cw_state_pair_state_incomplete', 'warn', 'One account of a pair was never read completely.'),
    kind('artifact_tmp_leftover', 'warn', 'An interrupted write left a temporary file. The next start removes it.'),
  ],
  needs: { system: true },
  begin: (world) => ({
    *end() {
      yield* ofItems(world)
      yield* ofPairs(world)
      for (const { path, sizeBytes, modifiedAtMs } of world.leftovers)
        yield {
          type: 'artifact_tmp_leftover',
          fields: {
            artifact: 'temporary_file',
            path,
            size_bytes: sizeBytes,
            modified_at: Math.floor(modifiedAtMs / 1_000),
          },
        }
      for (const { provider, instance, feature, newestMs } of world.stored.artifacts)
        if (newestMs !== null && newestMs > world.nowMs + DAY_MS && provider !== null && instance !== null)
          yield {
            type: 'cw_state_watermark_future',
            account: { provider, instance },
            ...defined({ feature: feature ?? undefined }),
            fields: { artifact: 'watermarks', path: `${provider}.${feature}`, value: Math.floor(newestMs / 1_000) },
          }
    },
  }),
})

function* ofItems({ stored, open, nowMs }: AnalyzerWorld): Iterable<Finding> {
  const cooldownMs = stored.blackbox.cooldownDays * DAY_MS
  for (const artifact of stored.artifacts) {
    const { provider, instance, feature, pair_id: scope, entries, hot = 0 } = artifact
    if (provider === null || instance === null || feature === null) continue
    const common = { account: { provider, instance }, feature }
    const own = open.filter((one) => isOf(one, artifact))
    const fields = { artifact: artifact.kind, path: `${scope}.${feature}`, scope, kind: artifact.kind, count: entries }
    if (artifact.kind === 'unresolved') {
      const waiting = own.filter(({ quarantined }) => !quarantined)
      const stale = waiting.filter((one) => nowMs - one.first_at_ms > STALE_MS).length
      yield {
        ...common,
        type: 'cw_state_unresolved_backlog',
        severity: stale > 0 || hot > 0 ? 'warn' : 'info',
        message: [
          entries === 1 ? '1 item waits' : `${entries} items wait`,
          ...(stale === 0 ? [] : [`${stale} for more than a week`]),
          ...(hot === 0 ? [] : [`${hot} after ${HOT} tries or more`]),
        ]
          .join(', ')
          .concat('.'),
        fields: { ...fields, stale, hot, affected_items: waiting.slice(0, SHOWN).map(affected) },
      }
    } else if (artifact.kind === 'blackbox') {
      const given = own.filter(({ quarantined }) => quarantined)
      const prunable = given.filter((one) => nowMs - one.last_at_ms > cooldownMs).length
      yield {
        ...common,
        type: 'cw_state_blackbox_active',
        message: `${entries === 1 ? '1 item is' : `${entries} items are`} not tried any more; ${stored.blackbox.cooldownDays === 1 ? 'after 1 day' : `after ${stored.blackbox.cooldownDays} days`} ${entries === 1 ? 'it is' : 'they are'}.`,
        fields: { ...fields, prunable, affected_items: given.slice(0, SHOWN).map(affected) },
      }
    } else if (artifact.kind === 'flap') {
      yield {
        ...common,
        type: hot > 0 ? 'cw_state_flap_hot' : 'cw_state_flap_active',
        fields: { ...fields, hot, active: entries, promote_after: stored.blackbox.promoteAfter },
      }
    }
  }
}

function* ofPairs({ stored, pairs }: AnalyzerWorld): Iterable<Finding> {
  const enabled = new Set(pairs.filter((pair) => pair.enabled).map(({ id }) => id))
  for (const { kind: of, pair_id: id, feature, entries } of stored.artifacts)
    if (of === 'pair_state' && id !== null && !enabled.has(id))
      yield {
        type: 'cw_state_pair_state_orphaned',
        ...defined({ feature: feature ?? undefined }),
        fields: { artifact: 'pair_state', path: `${id}.${feature}`, scope: id, count: entries },
      }
  for (const { pair_id: id, feature, problem, readAtMs, runs } of stored.pairs) {
    const fields = { artifact: 'pair_state', path: `${id}.${feature}`, scope: id }
    if (problem !== null) yield { type: 'cw_state_pair_state_invalid', feature, fields }
    else if (runs > 0 && enabled.has(id)) {
      const missing = (['source', 'target'] as const).filter((side) => readAtMs[side] === null)
      if (missing.length > 0) yield { type: 'cw_state_pair_state_incomplete', feature, fields: { ...fields, missing } }
    }
  }
}

function isOf(one: OpenItem, { provider, instance, feature, pair_id: id }: StoredArtifact): boolean {
  return one.provider === provider && one.instance === instance && one.feature === feature && one.pair_id === id
}

function affected({ key, item, reason_code: reason, attempts, first_at_ms: since }: OpenItem) {
  const part = item.season === undefined ? '' : ` - ${episodeCode(item)}`
  return {
    key,
    label: `${(item.series_title ?? item.title ?? key).slice(0, 120)}${part}`,
    type: item.type,
    ids: item.ids,
    reason,
    reason_message: reasonLabel(reason),
    attempts,
    since: Math.floor(since / 1_000),
  }
}
