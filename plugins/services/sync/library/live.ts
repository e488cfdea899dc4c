// Reads all rows of an account in a feature as a stream that ends with the proof of completeness. Stores no rows.
import { type AccountName, defined, type LiveEnd, type LivePart, type LiveScope, PlayheadError } from '@playhead/sdk'
import { rowKey } from '@playhead/sdk/items'
import type { Feature } from '@playhead/sdk/provider'
import type { SyncSettings } from '../contract.ts'
import { type EngineParts, type FeatureRun, libraries } from '../feature-run.ts'
import { shrinkLimit } from '../plan/read-checks.ts'
import { accountRun } from '../run/account-changes.ts'
import { findNewest } from '../store/inventory.ts'
import { countOwned, MAX_ROWS, proofOf, readSide, tooManyRows, untilStalled } from './read-side.ts'
import { malformed, type UsablePart, usableParts } from './reading.ts'

type End = Extract<UsablePart, { readonly type: 'end' }>['end']

interface LiveRequest extends AccountName {
  readonly feature: Feature
}

/** A run of one account. Throws `PLH_UNSUPPORTED` (`unsupported_feature`) if the feature cannot be read. */
export async function readableRun(
  engine: EngineParts,
  { provider, instance, feature }: LiveRequest,
  options: Parameters<typeof accountRun>[2],
): Promise<FeatureRun> {
  const run = await accountRun(engine, { provider, instance, feature }, options)
  if (run.sides.b.support.read) return run
  throw new PlayheadError('PLH_UNSUPPORTED', `${provider} has no ${feature} that can be read.`, {
    wire: 'unsupported_feature',
  })
}

/** As `readableRun`, for all kinds, and by single plays if the account has them. */
async function wholeRun(...given: Parameters<typeof readableRun>): Promise<FeatureRun> {
  const [engine, { provider, instance, feature }, options] = given
  const run = await readableRun(...given)
  const byPlay =
    run.sides.b.support.plays?.read === true && (await engine.accounts.health(provider, instance)).plays !== false
      ? await accountRun(engine, { provider, instance, feature, plays: true }, options)
      : run
  return { ...byPlay, comparing: { ...byPlay.comparing, kinds: undefined } }
}

/** The scope of a whole run. */
export function liveScope(run: FeatureRun): LiveScope {
  return { plays: run.plays, libraries: libraries(run, run.sides.b) }
}

/** Implements `library.live`. */
export async function* readLive(
  engine: EngineParts,
  request: LiveRequest,
  settings: SyncSettings,
  signal: AbortSignal,
): AsyncGenerator<LivePart> {
  const { provider, instance, feature } = request
  const run = await wholeRun(engine, request, { planId: 'live', settings, cause: 'live', signal })
  const scope = liveScope(run)
  const known = (await findNewest(engine.db, run.sides.b.uid, feature))?.count ?? null
  const order = {
    provider,
    instance,
    request: {
      feature,
      ...(scope.plays ? { plays: true } : {}),
      ...(scope.libraries.length > 0 ? { libraries: scope.libraries } : {}),
    },
  }
  yield { type: 'scope', scope }
  let [total, given, count]: [number | undefined, number, number] = [undefined, 0, 0]
  let end: End | undefined
  for await (const part of untilStalled(usableParts(engine.use, order, signal), signal)) {
    if (part.type === 'end') {
      end = part.end
      continue
    }
    total = part.total ?? total
    given += part.given
    if (given > (engine.maxRows ?? MAX_ROWS)) throw tooManyRows({ provider })
    const own = part.items.filter(({ transient }) => transient !== true)
    count += own.length
    yield { type: 'rows', rows: own.map((item) => ({ key: rowKey(item, scope.plays), item })), ...defined({ total }) }
  }
  if (end === undefined) throw malformed(provider, 'no end')
  if (end.semantics !== 'present') throw malformed(provider, `"${end.semantics}" without a checkpoint in the request`)
  const { complete, reason } = proofOf(end, total, given)
  if (!complete) throw incomplete(provider, reason)
  const { account, unreadable, gone = [] } = end
  const about = { account, count, expected: total ?? null, known, doubt: liveDoubt(known, count) }
  yield { type: 'end', end: { ...about, unreadable, gone: gone.length, readAtMs: engine.now() } }
}

/** Reads an account as `readLive` does, for comparisons on the engine's thread. The caller releases the rows. */
export async function readWhole(engine: EngineParts, request: LiveRequest, options: Parameters<typeof accountRun>[2]) {
  const run = await wholeRun(engine, request, options)
  const side = run.sides.b
  const known = (await findNewest(engine.db, side.uid, request.feature))?.count ?? null
  const read = await readSide(run, side, { fresh: true })
  if (!read.complete) {
    read.rows.release()
    throw incomplete(request.provider, read.reason ?? 'incomplete')
  }
  const count = countOwned(read.rows)
  return { run, read, end: { account: read.account, count, doubt: liveDoubt(known, count), readAtMs: read.atMs } }
}

function incomplete(provider: string, reason: string | undefined): PlayheadError {
  return new PlayheadError('PLH_UPSTREAM_INVALID', `Not everything could be read from ${provider}. Try again.`, {
    wire: 'read_incomplete',
    details: { reason },
  })
}

/** @param known rows of the last read; null if there was none */
function liveDoubt(known: number | null, count: number): LiveEnd['doubt'] {
  if (known === null || known === 0) return null
  if (count === 0) return 'empty_read'
  return known - count > shrinkLimit(known) ? 'shrunk_read' : null
}
