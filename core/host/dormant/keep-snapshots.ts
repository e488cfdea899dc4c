// Writes snapshots of plugins some time after activation, one at a time, so that neither a start nor a save waits.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostDependencies } from '../dependencies.ts'
import { guarded, type ReportFault } from '../run/guard.ts'
import type { Loader } from '../load/loader.ts'
import type { Slot } from '../compose/slot.ts'
import { identitiesOf, type Snapshots, takeSnapshot } from './snapshot.ts'

const SNAPSHOT_AFTER_MS = 10_000
const ANSWERS_LIMIT_MS = 5_000
const SETTLE_MS = 20

export interface SnapshotKeeper {
  /** The plugin was activated, or its settings changed. */
  later(slot: Slot): void
  /** Resolves when all are written. */
  settled(): Promise<void>
  /** Waits for the current write; starts no other. */
  close(): Promise<void>
}

interface SnapshotKeeperDependencies {
  readonly core: Pick<HostDependencies, 'log' | 'config'>
  readonly snapshots: Snapshots
  readonly loader: Pick<Loader, 'versionOf' | 'sourceHash'>
  readonly report: ReportFault
  readonly afterMs?: number | undefined
}

export function createSnapshotKeeper({
  core,
  snapshots,
  loader,
  report,
  afterMs = SNAPSHOT_AFTER_MS,
}: SnapshotKeeperDependencies): SnapshotKeeper {
  const timers = new Map<string, NodeJS.Timeout>()
  let turn: Promise<void> = Promise.resolve()
  let isClosed = false

  async function keep(slot: Slot): Promise<void> {
    const { live } = slot.state
    if (isClosed || live === null) return
    const { staged } = live
    const { manifest, generation } = staged
    const currentVersion = () => loader.versionOf({ manifest, compiled: { hash: staged.sourceHash } })
    const version = currentVersion()
    if (slot.shipped?.snapshot?.version === version || (await snapshots.read(slot.id))?.version === version) return
    // File identities first, then their content: a save in between prevents the snapshot.
    const files = await identitiesOf([join(staged.directory, 'plugin.json'), ...staged.compiled.inputs])
    if ((await loader.sourceHash(slot)) !== staged.sourceHash) return
    const description = await staged.child.describe()
    const call = { generation, kind: 'call', what: 'answers for its snapshot', limitMs: ANSWERS_LIMIT_MS } as const
    const snapshot = await guarded(call, report, () => takeSnapshot(live, version, files, core.config))
    if (snapshot === null) await snapshots.forget(slot.id)
    else if (slot.state.live === live && currentVersion() === version)
      await snapshots.write(slot.id, snapshot, description)
  }

  return {
    later(slot) {
      clearTimeout(timers.get(slot.id))
      const timer = setTimeout(() => {
        timers.delete(slot.id)
        turn = turn
          .then(() => keep(slot))
          .catch((error: unknown) =>
            core.log.warn(
              { err: error, plugin: slot.id },
              'the snapshot of a plugin could not be written; it is loaded at each start',
            ),
          )
      }, afterMs).unref()
      timers.set(slot.id, timer)
    },
    async settled() {
      while (timers.size > 0) await sleep(SETTLE_MS)
      await turn
    },
    async close() {
      isClosed = true
      for (const timer of timers.values()) clearTimeout(timer)
      await turn
    },
  }
}
