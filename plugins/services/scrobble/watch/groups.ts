// The watchers: one group per source account with enabled routes.
import { type Logger, providerCapability, type PluginContext, type Provider, type Remote } from '@playhead/sdk'
import type { Effective, GroupStatus, Lane, Observation, Watchers } from '../contract.ts'
import { needsOf } from '../config/effective.ts'
import type { KnownSession } from './follow.ts'
import { type Group, startGroup } from './group.ts'

interface WatcherOptions {
  readonly ctx: Pick<PluginContext, 'tryUse'>
  readonly effective: () => Effective
  /** `mediaA` of `MEDIAA` */
  readonly tokenOf: (provider: string) => string
  readonly remembered: (provider: string, instance: string) => readonly KnownSession[]
  readonly observe: (observation: Observation, lanes: readonly Lane[]) => Promise<void>
  /** A person started or stopped the watchers. */
  readonly cleared: () => void
  readonly log: Logger
  readonly now: () => number
}

export interface RunningWatchers extends Watchers {
  /** Sessions of the followed accounts. */
  following(): readonly { readonly provider: string; readonly instance: string }[]
  /** Applies a changed configuration: as `refresh` while it runs or starts automatically. */
  reconfigured(): Promise<void>
  close(): Promise<void>
}

const STOP_MS = 6_000

export function createWatchers(options: WatcherOptions): RunningWatchers {
  const { ctx, effective, tokenOf, remembered, observe, cleared, log, now } = options
  let groups: readonly Group[] = []
  let isRunning = false
  let fingerprint = ''
  let turn: Promise<void> = Promise.resolve()

  const inTurn = (work: () => Promise<void>) => {
    turn = turn.then(work, work)
    return turn
  }

  async function stopGroups(): Promise<void> {
    const stopping = groups
    groups = []
    await Promise.race([
      Promise.all(stopping.map((group) => group.stop())),
      new Promise((resolve) => setTimeout(resolve, STOP_MS).unref()),
    ])
  }

  function startGroups(): void {
    const { lanes } = effective()
    fingerprint = fingerprintOf(effective())
    const watched = lanes.filter(({ method }) => method === 'watcher')
    const bySource = Map.groupBy(watched, ({ source }) => `${source.provider}:${source.instance}`)
    groups = [...bySource.values()].map((own) => {
      const { source } = own[0]!
      return startGroup({
        source,
        token: tokenOf(source.provider),
        routes: own.map(({ id }) => id),
        needs: needsOf(own),
        provider: () =>
          ctx.tryUse(providerCapability(source.provider)) as Remote<Required<Pick<Provider, 'watch'>>> | undefined,
        remembered: remembered(source.provider, source.instance),
        observe: (observation) => observe(observation, own),
        log,
        now,
      })
    })
    isRunning = true
  }

  async function restart(): Promise<void> {
    await stopGroups()
    isRunning = false
    if (effective().sources.watcher) startGroups()
  }

  return {
    status: (): readonly GroupStatus[] => groups.map((group) => group.status()),
    following: () => groups.map((group) => group.status()).map(({ provider, instance }) => ({ provider, instance })),
    start: () =>
      inTurn(async () => {
        cleared()
        await restart()
      }),
    stop: () =>
      inTurn(async () => {
        await stopGroups()
        isRunning = false
        cleared()
      }),
    refresh: () => inTurn(restart),
    reconfigured: () =>
      inTurn(async () => {
        if (fingerprintOf(effective()) === fingerprint && isRunning === effective().sources.watcher) return
        if (!effective().sources.watcher) {
          await stopGroups()
          isRunning = false
        } else if (isRunning || effective().autostart) await restart()
      }),
    close: () => inTurn(stopGroups),
  }
}

/** Compares only the settings of the watchers: other changes do not interrupt them. */
function fingerprintOf({ lanes, sources }: Effective): string {
  return JSON.stringify([sources.watcher, lanes.filter(({ method }) => method === 'watcher')])
}
