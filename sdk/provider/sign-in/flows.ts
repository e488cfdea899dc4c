// Runs multi-step sign-in flows in memory. A reload hands pending flows, with their secrets, to the next generation;
// the secrets are stored nowhere else.
import { defined } from '../../defined.ts'
import { isDeepStrictEqual } from 'node:util'
import type { KeyValueStore } from '../../context.ts'
import type { Logger } from '../../logger.ts'
import { msUntil } from '../../moments.ts'
import { ERRORS, PlayheadError, isPlayheadError } from '../../errors.ts'
import type { SignInMethod } from './contract.ts'
import type { FlowAnswer, FlowBegun, FlowState, SignInFlow, SignInFlows } from './flow-contract.ts'

const TOLD_MS = 10 * 60_000
const MAX_BACKOFF_MS = 60_000
/** Longer than any pause between two questions. */
const LONGEST_ASK_MS = 10 * 60_000
const SHORTEST_INTERVAL_MS = 10
const SLOWER_MS = 5_000
// A poll of the replaced generation may still be in progress, and its response consumes the flow.
const ANSWER_MS = 20_000

export interface FlowDependencies {
  readonly log: Logger
  /** Ends with the plugin. */
  readonly signal: AbortSignal
  /** False once a newer generation is active. */
  readonly isLive: () => boolean
  /** Survives the generation: outcomes of polls that a replaced generation had in progress. */
  readonly store: KeyValueStore
  /** Recreates the flow of a method after a handover. */
  readonly resume: (instance: string, method: SignInMethod) => SignInFlow | undefined
}

/** Plain data handed to the next generation. */
export interface PendingFlow {
  readonly instance: string
  readonly method: SignInMethod
  readonly state: FlowState
  readonly secret: unknown
  readonly nextAskAtMs: number
  readonly isAsking: boolean
  readonly endedAtMs: number | null
}

export interface Flows extends SignInFlows {
  give(): readonly PendingFlow[]
  take(flows: readonly PendingFlow[]): void
  /** Ends all flows of a profile. */
  cancelAll(instance: string): void
}

interface Running {
  readonly instance: string
  readonly flow: SignInFlow | undefined
  state: FlowState
  readonly secret: unknown
  nextAskAtMs: number
  failures: number
  problem: PlayheadError | undefined
  asking: Promise<void> | null
  endedAtMs: number | null
  timer: NodeJS.Timeout | null
  readonly end: AbortController
  /** Started by an earlier generation whose poll may still be in progress: do not poll before this time. */
  readonly takenOver: { readonly askAgainAtMs: number } | null
}

export function createFlows({ log, signal, isLive, store, resume }: FlowDependencies): Flows {
  const flows = new Map<string, Running>()
  const starts = new Map<string, symbol>()
  const keyOf = (instance: string, method: SignInMethod) => `${instance} ${method}`
  signal.addEventListener(
    'abort',
    () => {
      for (const running of flows.values()) stop(running)
    },
    { once: true },
  )

  async function start(instance: string, flow: SignInFlow): Promise<FlowState> {
    const key = keyOf(instance, flow.method)
    const mine = Symbol(key)
    starts.set(key, mine)
    drop(key)
    const end = new AbortController()
    const begun = await flow.start(AbortSignal.any([signal, end.signal])).catch((error: unknown) => {
      if (starts.get(key) === mine) starts.delete(key)
      throw error
    })
    if (starts.get(key) !== mine) {
      throw new PlayheadError('PLH_CONFLICT', 'Another sign-in was started meanwhile.', { wire: 'flow_superseded' })
    }
    starts.delete(key)
    const running = keep(key, {
      instance,
      flow,
      secret: begun.secret,
      state: stateOf(flow, begun),
      end,
      takenOver: null,
    })
    schedule(running)
    return running.state
  }

  function keep(
    key: string,
    begun: Pick<Running, 'instance' | 'flow' | 'secret' | 'state' | 'end' | 'takenOver'>,
  ): Running {
    const running: Running = {
      ...begun,
      nextAskAtMs: Date.now() + begun.state.intervalMs,
      failures: 0,
      problem: undefined,
      asking: null,
      endedAtMs: null,
      timer: null,
    }
    flows.set(key, running)
    return running
  }

  function find(instance: string, method: SignInMethod): Running | undefined {
    const key = keyOf(instance, method)
    const running = flows.get(key)
    if (running === undefined) return undefined
    if (running.endedAtMs !== null && Date.now() - running.endedAtMs >= TOLD_MS) {
      flows.delete(key)
      return undefined
    }
    expireIfDue(running)
    return running
  }

  function schedule(running: Running): void {
    if (running.state.state !== 'pending' || signal.aborted || running.end.signal.aborted) return
    const isAsked = running.flow?.background === true
    const dueAtMs = isAsked ? Math.min(running.nextAskAtMs, running.state.expiresAtMs) : running.state.expiresAtMs
    if (running.timer !== null) clearTimeout(running.timer)
    // The maximum timer delay is about 24 days.
    running.timer = setTimeout(
      () => void tick(running, isAsked),
      Math.min(Math.max(dueAtMs - Date.now(), 0), LONGEST_ASK_MS),
    )
    running.timer.unref()
  }

  async function tick(running: Running, isAsked: boolean): Promise<void> {
    running.timer = null
    if (!isLive()) return
    if (!expireIfDue(running) && isAsked) await ask(running)
    schedule(running)
  }

  /** Polls the service, at most once per interval. Never throws. */
  function ask(running: Running): Promise<void> {
    if (running.state.state !== 'pending' || msUntil(running.nextAskAtMs, Date.now(), LONGEST_ASK_MS) > 0)
      return running.asking ?? Promise.resolve()
    running.asking ??= askNow(running).finally(() => {
      running.asking = null
    })
    return running.asking
  }

  async function askNow(running: Running): Promise<void> {
    const {
      flow,
      end,
      instance,
      state: { method },
    } = running
    let answer: FlowAnswer
    try {
      answer =
        (await answerOfBefore(running)) ??
        (flow === undefined
          ? { state: 'failed', reason: 'reloaded' }
          : await flow.poll(running.secret, AbortSignal.any([signal, end.signal])))
      running.failures = 0
      running.problem = undefined
    } catch (error) {
      answer = ofError(running, error)
    }
    if (end.signal.aborted && answer.state !== 'authorized') return
    // The generation that continues this flow reads the outcome.
    const isOver = answer.state !== 'pending' && answer.state !== 'slow_down'
    if (isOver && (!isLive() || signal.aborted))
      await store.set(keyOf(instance, method), { startedAtMs: running.state.startedAtMs, answer }, TOLD_MS)
    settle(running, answer)
  }

  async function answerOfBefore({ takenOver, instance, state }: Running): Promise<FlowAnswer | undefined> {
    if (takenOver === null) return undefined
    const known = await store.get<{ startedAtMs: number; answer: FlowAnswer }>(keyOf(instance, state.method))
    if (known?.startedAtMs === state.startedAtMs) return known.answer
    return Date.now() < takenOver.askAgainAtMs ? { state: 'pending' } : undefined
  }

  function ofError(running: Running, error: unknown): FlowAnswer {
    const passes = isPlayheadError(error) && ERRORS[error.code].retry !== 'never'
    if (passes) {
      running.failures += 1
      running.problem = error
      const {
        instance,
        state: { method },
      } = running
      log.warn(
        { instance, method, code: error.code, failures: running.failures },
        'a sign-in could not be looked after; it is tried again',
      )
      return { state: 'pending' }
    }
    if (running.end.signal.aborted || signal.aborted) return { state: 'pending' }
    log.error({ instance: running.instance, method: running.state.method, err: error }, 'a sign-in failed')
    return { state: 'failed', reason: isPlayheadError(error) ? error.wire : 'internal' }
  }

  function settle(running: Running, answer: FlowAnswer): void {
    const { state } = running
    if (state.state !== 'pending') return
    if (answer.state === 'pending' || answer.state === 'slow_down') {
      const intervalMs = answer.state === 'slow_down' ? state.intervalMs + (answer.byMs ?? SLOWER_MS) : state.intervalMs
      running.state = { ...state, intervalMs }
      const backoffMs =
        running.failures === 0
          ? intervalMs
          : Math.max(intervalMs, Math.min(MAX_BACKOFF_MS, intervalMs * 2 ** running.failures))
      running.nextAskAtMs = Date.now() + backoffMs
      expireIfDue(running)
      return
    }
    const { result, reason } = answer as { readonly result?: FlowState['result']; readonly reason?: string }
    conclude(running, { ...state, state: answer.state, ...defined({ result, reason }) })
  }

  function expireIfDue(running: Running): boolean {
    const { state } = running
    // A poll in progress may still succeed in the last second.
    if (state.state !== 'pending' || running.asking !== null) return false
    if (msUntil(state.expiresAtMs, Date.now(), state.expiresAtMs - state.startedAtMs) > 0) return false
    conclude(running, { ...state, state: 'expired', reason: 'expired' })
    return true
  }

  function conclude(running: Running, state: FlowState): void {
    running.state = state
    running.endedAtMs = Date.now()
    if (running.timer !== null) clearTimeout(running.timer)
    running.timer = null
    log.info({ instance: running.instance, method: state.method, state: state.state }, 'a sign-in ended')
  }

  function drop(key: string): boolean {
    const running = flows.get(key)
    if (running === undefined) return false
    stop(running)
    flows.delete(key)
    return running.state.state === 'pending'
  }

  function stop(running: Running): void {
    if (running.timer !== null) clearTimeout(running.timer)
    running.timer = null
    running.end.abort(new PlayheadError('PLH_ABORTED', 'The sign-in was ended.'))
  }

  return {
    start,
    async poll(instance, method) {
      const running = find(instance, method)
      if (running === undefined) return undefined
      await ask(running)
      schedule(running)
      return find(instance, method)?.state
    },
    state: (instance, method) => find(instance, method)?.state,
    problem: (instance, method) => find(instance, method)?.problem,
    cancel(instance, method) {
      const key = keyOf(instance, method)
      const wasStarting = starts.delete(key)
      return drop(key) || wasStarting
    },
    cancelAll(instance) {
      for (const [key, running] of flows) if (running.instance === instance) drop(key)
      for (const key of starts.keys()) if (key.startsWith(`${instance} `)) starts.delete(key)
    },
    give: () =>
      [...flows.values()].map(({ instance, state, secret, nextAskAtMs, asking, endedAtMs }) => ({
        instance,
        method: state.method,
        state,
        secret,
        nextAskAtMs,
        isAsking: asking !== null,
        endedAtMs,
      })),
    take(given) {
      for (const { instance, method, state, secret, nextAskAtMs, isAsking, endedAtMs } of given) {
        const key = keyOf(instance, method)
        // A flow started in this generation is newer.
        if (flows.has(key)) continue
        const flow = resume(instance, method)
        const takenOver = { askAgainAtMs: isAsking ? Date.now() + ANSWER_MS : 0 }
        const running = keep(key, { instance, flow, secret, state, end: new AbortController(), takenOver })
        if (!isAsking) running.nextAskAtMs = nextAskAtMs
        running.endedAtMs = endedAtMs
        schedule(running)
      }
    },
  }
}

function stateOf({ method }: SignInFlow, { shown, expiresAtMs, intervalMs, secret }: FlowBegun): FlowState {
  if (!Number.isFinite(expiresAtMs)) throw new TypeError('A sign-in flow must say when it expires.')
  if (!isDeepStrictEqual(structuredClone(secret), secret))
    throw new TypeError('The secret of a sign-in flow must be plain data.')
  return {
    method,
    state: 'pending',
    shown,
    startedAtMs: Date.now(),
    expiresAtMs,
    intervalMs: Math.max(intervalMs, SHORTEST_INTERVAL_MS),
  }
}
