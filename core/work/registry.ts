// The registry of work in progress, see sdk/work.ts. One for the service; each plugin generation has a view of its own.
import { randomUUID } from 'node:crypto'
import {
  type BlockReason,
  type CurrentWork,
  PlayheadError,
  type WaitForWork,
  type WorkBlock,
  type WorkDescription,
  type WorkHold,
  type WorkObstacle,
  type WorkRegistry,
} from '@playhead/sdk'
import type { Clock } from '../clock.ts'
import { defined } from '@playhead/sdk/host'

export interface CoreWork extends WorkRegistry {
  /** The registry on behalf of a plugin. `close` ends its holds, blocks and waits. */
  of(plugin: string): OwnedWork
}

interface OwnedWork extends WorkRegistry {
  close(): void
}

interface WorkOptions {
  readonly clock: Clock
  /** A block began or ended. */
  readonly onBlock?: (change: 'blocked' | 'unblocked', block: WorkBlock) => void
}

interface Waiting {
  readonly plugin: string
  readonly work: WorkDescription
  /** Ids of the holds that contain it. */
  readonly wholes: readonly string[]
  readonly grant: (hold: WorkHold) => void
  readonly onWait: WaitForWork['onWait']
  readonly askedAtMs: number
  /** The last reported obstacle, as text. */
  told: string
}

export function createWorkRegistry({ clock, onBlock }: WorkOptions): CoreWork {
  const held = new Map<string, CurrentWork>()
  const waiting = new Set<Waiting>()
  const blocks = new Set<WorkBlock>()

  /** Ids of the holds that contain the current work, by its own id; some of them may have ended. */
  const around = new Map<string, readonly string[]>()

  function holdsAround({ within }: WorkDescription): readonly string[] {
    return within === undefined ? [] : [within, ...(around.get(within) ?? [])]
  }

  function obstacleOf(
    { work, wholes }: Pick<Waiting, 'work' | 'wholes'>,
    before: Iterable<Waiting>,
  ): WorkObstacle | undefined {
    for (const other of held.values())
      if (!wholes.includes(other.id) && areInConflict(work, other))
        return busy(other, other.startedAtMs, `${other.label} is going on. Try again when it has ended.`)
    if (work.within === undefined)
      for (const { code, message, kinds, sinceMs } of blocks)
        if (kinds?.includes(work.kind) ?? true) return { code, message, sinceMs }
    for (const { work: other, askedAtMs } of before) {
      if (!areInConflict(work, other)) continue
      // Work that waits for the end of a whole must not block its parts, and a short change need not wait for work that
      // waits to be alone.
      const isAhead = other.exclusive === true && work.kind === 'change'
      if (isAhead || wholes.some((id) => held.has(id) && areInConflict(held.get(id)!, other))) continue
      return busy(other, askedAtMs, `${other.label} is about to begin. Try again when it has ended.`)
    }
    return undefined
  }

  function advance(): void {
    const before: Waiting[] = []
    for (const one of [...waiting]) {
      // A listener may have cancelled it.
      if (!waiting.has(one)) continue
      const obstacle = obstacleOf(one, before)
      if (obstacle === undefined) {
        waiting.delete(one)
        one.grant(hold(one.plugin, one))
        continue
      }
      before.push(one)
      const text = `${obstacle.code} ${obstacle.message}`
      if (text === one.told) continue
      one.told = text
      one.onWait?.(obstacle)
    }
  }

  function hold(plugin: string, { work, wholes }: Pick<Waiting, 'work' | 'wholes'>): WorkHold {
    const id = randomUUID()
    around.set(id, wholes)
    held.set(id, { ...work, id, plugin, startedAtMs: clock.now() })
    const release = () => {
      around.delete(id)
      if (held.delete(id)) advance()
    }
    return { id, release, [Symbol.dispose]: release }
  }

  function of(plugin: string): OwnedWork {
    const releases = new Set<() => void>()
    const waits = new Set<() => void>()
    let isClosed = false

    function owned(one: WorkHold): WorkHold {
      const release = () => {
        releases.delete(release)
        one.release()
      }
      releases.add(release)
      return { id: one.id, release, [Symbol.dispose]: release }
    }

    function assertUsable(work: WorkDescription): void {
      if (isClosed) throw new PlayheadError('PLH_PLUGIN_DISPOSED', `Plugin "${plugin}" was replaced.`)
      if (work.within !== undefined && !held.has(work.within))
        throw new PlayheadError('PLH_INVALID', `"${work.label}" is part of work that has ended.`)
    }

    return {
      begin(work) {
        assertUsable(work)
        const asked = { work, wholes: holdsAround(work) }
        const obstacle = obstacleOf(asked, waiting)
        if (obstacle !== undefined) throw conflict(obstacle)
        return owned(hold(plugin, asked))
      },
      beginWhenFree(work, { signal, onWait } = {}) {
        return new Promise((resolve, reject) => {
          assertUsable(work)
          const giveUp = () => {
            leave()
            reject(new PlayheadError('PLH_ABORTED', `"${work.label}" was cancelled while it waited.`))
            advance()
          }
          const leave = () => {
            waiting.delete(one)
            waits.delete(giveUp)
            signal?.removeEventListener('abort', giveUp)
          }
          const one: Waiting = {
            plugin,
            work,
            wholes: holdsAround(work),
            onWait,
            askedAtMs: clock.now(),
            told: '',
            grant(given) {
              leave()
              resolve(owned(given))
            },
          }
          if (signal?.aborted === true) return giveUp()
          signal?.addEventListener('abort', giveUp, { once: true })
          waits.add(giveUp)
          waiting.add(one)
          advance()
        })
      },
      current: () => [...held.values()],
      block(reason: BlockReason) {
        if (isClosed) return () => {}
        const block: WorkBlock = { ...reason, plugin, sinceMs: clock.now() }
        blocks.add(block)
        onBlock?.('blocked', block)
        advance()
        const release = () => {
          releases.delete(release)
          if (!blocks.delete(block)) return
          onBlock?.('unblocked', block)
          advance()
        }
        releases.add(release)
        return release
      },
      blocks: () => [...blocks],
      close() {
        isClosed = true
        // Cancel waits first: a release would grant them.
        for (const giveUp of [...waits]) giveUp()
        for (const release of [...releases]) release()
      },
    }
  }

  return { ...of('core'), of }
}

function areInConflict(a: WorkDescription, b: WorkDescription): boolean {
  if (a.exclusive === true || b.exclusive === true) return true
  return (a.accounts ?? []).some(({ provider, instance }) =>
    (b.accounts ?? []).some((other) => other.provider === provider && other.instance === instance),
  )
}

function busy(other: WorkDescription, sinceMs: number, message: string): WorkObstacle {
  return { code: 'busy', message, holder: other.kind, sinceMs }
}

function conflict({ code, message, holder, sinceMs }: WorkObstacle): PlayheadError {
  return new PlayheadError('PLH_CONFLICT', message, {
    wire: code,
    details: { ...defined({ holder }), since: Math.floor(sinceMs / 1_000) },
  })
}
