// Every call that Playhead makes to a provider: probe, reads, writes, routes. Each states which results are wrong.
import {
  DEFAULT_PROFILE,
  type Feature,
  type FeatureSupport,
  isFault,
  isPlayheadError,
  type Item,
  type ReadEnd,
  type WriteOutcome,
} from '@playhead/sdk'
import type { Bench, Subject } from '@playhead/sdk/testing/conformance'
import { bodyFor, LEADS_AWAY, OTHERS } from './bodies.ts'

const ROWS = 12
/** Longer than any retry pause for a service. */
export const A_WHILE_MS = 180_000

/** How the service was spoilt during the calls. */
export interface Circumstances {
  /** No response came from the service. */
  readonly nothingWorked: boolean
  /** A response may still be valid. */
  readonly mayPass: boolean
  /** A response could confirm a completed write. */
  readonly confirms: boolean
  /** Tokens may have been refreshed in a response that was lost. */
  readonly mayBeSignedOut: boolean
}

export interface Asking {
  readonly name: string
  /** The call returns rows, and whether they are complete. */
  readonly reads?: boolean
  /** Prepares state while the service works, and returns the call. */
  prepare(bench: Bench): Promise<Ask>
}

/** Returns the problems of the result. */
export type Ask = (circumstances: Circumstances) => Promise<readonly string[]>

type Op = 'add' | 'update' | 'remove'
const OPS: readonly Op[] = ['add', 'update', 'remove']
/** Statuses of a route that blame the request or the service, never Playhead. */
const STATUSES = new Set([200, 400, 401, 403, 404, 409, 410, 422, 429, 502, 503, 504])

/** In groups, each for its own account. */
export function askingsOf({ manifest, description }: Subject): readonly (readonly Asking[])[] {
  const features = Object.entries(description.features) as [Feature, FeatureSupport][]
  const routes = (manifest.routes ?? []).filter(({ path }) => !LEADS_AWAY.test(path))
  return [
    [
      PROBE,
      ...routes.map(({ method, path }) => calling(manifest.id, method, path)),
      ...routes
        .filter(({ path }) => path.endsWith('/save'))
        .map(({ method, path }) => calling(manifest.id, method, path, OTHERS)),
    ],
    ...features
      .filter(([, { read }]) => read)
      .map(([feature, support]) => [
        reading(feature, false),
        reading(feature, true),
        ...OPS.filter((op) => support[op]).map((op) => writing(feature, op)),
      ]),
  ]
}

const PROBE: Asking = {
  name: 'probe',
  prepare:
    async ({ provider }) =>
    async ({ nothingWorked, mayBeSignedOut }) => {
      const { status } = await provider.probe(DEFAULT_PROFILE)
      return [
        ...((status === 'auth_failed' && !mayBeSignedOut) || status === 'not_configured'
          ? [`it is taken for signed out: ${status}`]
          : []),
        ...(nothingWorked && status === 'ok' ? ['it is well, it says'] : []),
      ]
    },
}

function reading(feature: Feature, goesOn: boolean): Asking {
  return {
    name: `read ${feature}${goesOn ? ' since the last time' : ''}`,
    reads: true,
    async prepare({ simulator, read, tryRead }) {
      if (!goesOn) await simulator.seed(0, feature, ROWS)
      const { rows, end } = await read(feature)
      if (!end.complete || rows.length !== ROWS)
        throw new Error(`${rows.length} of ${ROWS} rows of ${feature} while all is well`)
      const since = goesOn ? end.checkpoint : undefined
      return async () => {
        if (goesOn && since === undefined) return []
        const answer = await tryRead(feature, since === undefined ? {} : { since })
        return 'error' in answer ? wrongError(answer.error) : wrongEnd(answer.end, answer.rows.length)
      }
    },
  }
}

function wrongEnd(end: ReadEnd, rows: number): readonly string[] {
  if (!end.complete) return []
  const told = rows + (end.unreadable?.length ?? 0)
  const gone = (end.gone?.length ?? 0) + (end.deleted?.length ?? 0)
  return [
    ...(end.semantics === 'present' && told < ROWS ? [`${told} of ${ROWS} rows, and it is complete, it says`] : []),
    ...(gone > 0 ? [`${gone} rows are gone, it says`] : []),
  ]
}

function wrongError(error: unknown): readonly string[] {
  return isPlayheadError(error) && !isFault(error)
    ? []
    : [`it threw ${error instanceof Error ? error.stack : String(error)}`]
}

function writing(feature: Feature, op: Op): Asking {
  return {
    name: `${op} ${feature}`,
    async prepare(bench) {
      const { simulator } = bench
      await simulator.seed(0, feature, 1)
      let items = await itemsFor(bench, feature, op)
      return async ({ mayPass, confirms }) => {
        const before = await simulator.count(0, feature)
        try {
          const { outcomes } = await bench.write(feature, op, items)
          const change = Math.abs((await simulator.count(0, feature)) - before)
          return wrongOutcomes(outcomes, items.length, { change, counts: op !== 'update' && !mayPass && !confirms })
        } catch (error) {
          return wrongError(error)
        } finally {
          bench.clearFaults()
          bench.clock.advance(A_WHILE_MS)
          await simulator.signIn(bench.host, DEFAULT_PROFILE, 0)
          items = await itemsFor(bench, feature, op)
        }
      }
    },
  }
}

/** Two items that do not exist yet, or two that exist. */
async function itemsFor({ simulator, read }: Bench, feature: Feature, op: Op): Promise<readonly Item[]> {
  if (op === 'add') return simulator.fresh(feature, 2)
  await simulator.seed(0, feature, 2)
  return (await read(feature)).rows.slice(0, 2)
}

function wrongOutcomes(
  outcomes: readonly WriteOutcome[],
  asked: number,
  { change, counts }: { readonly change: number; readonly counts: boolean },
): readonly string[] {
  const keys = outcomes
    .map(({ key }) => key)
    .sort()
    .join()
  const applied = outcomes.filter(({ outcome }) => outcome === 'applied').length
  return [
    ...(keys === Array.from({ length: asked }, (_, index) => `k${index}`).join() ? [] : [`outcomes for ${keys}`]),
    ...(counts && applied > change ? [`${applied} were done, it says, and ${change} were`] : []),
  ]
}

function calling(plugin: string, method: string, path: string, instead: object = {}): Asking {
  return {
    name: `${method} ${path}${instead === OTHERS ? ' with credentials that nobody has' : ''}`,
    async prepare(bench) {
      const { host, provider } = bench
      const payload = method === 'POST' ? { ...bodyFor(plugin, path, bench), ...instead } : undefined
      const stored = () =>
        JSON.stringify(bench.simulator.secrets().map((secret) => JSON.stringify(host.ctx.config).includes(secret)))
      return async ({ nothingWorked, mayBeSignedOut }) => {
        const before = stored()
        const answer = await host.inject({
          method: method as 'GET',
          url: path,
          ...(payload === undefined ? {} : { payload }),
        })
        const [profile] = await provider.profiles()
        return [
          ...(STATUSES.has(answer.statusCode)
            ? []
            : [`it answered ${answer.statusCode}: ${answer.body.slice(0, 200)}`]),
          ...wrongBody(answer.statusCode, answer.body, String(answer.headers['content-type'])),
          ...(profile?.configured === false && !mayBeSignedOut ? ['the profile is signed out'] : []),
          ...(nothingWorked && !mayBeSignedOut && stored() !== before ? ['credentials have changed'] : []),
        ]
      }
    },
  }
}

/** A refusal must state its reason. */
function wrongBody(status: number, text: string, type: string): readonly string[] {
  if (type.startsWith('text/plain')) return text === '' ? ['an empty page'] : []
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>
  const isRefusal = status >= 400 || body['ok'] === false
  const says = ['error', 'reason', 'detail', 'status', 'message'].some(
    (name) => typeof body[name] === 'string' || Array.isArray(body[name]),
  )
  return isRefusal && !says ? [`it does not say what is wrong: ${text.slice(0, 200)}`] : []
}
