// Shared by the tests of the Tautulli plugin: the plugin in a host, connected to a stand-in.
import type { ReadRequest } from '@playhead/sdk'
import plugin from '../../../plugins/providers/tautulli/index.ts'
import { tautulliSettings } from '../../stands/tautulli.ts'
import { startTautulli, type TautulliOptions } from '../../upstreams/tautulli.ts'
import { type HostOptions, openBench, shippedManifest } from '../provider-bench.ts'

export { codeAndWireOf as codeOf, UNUSED } from '../provider-bench.ts'

export type Bench = Awaited<ReturnType<typeof startBench>>

export interface BenchOptions extends TautulliOptions, HostOptions {
  readonly connected?: boolean
}

export async function startBench({ settings, connected = true, capabilities, ...options }: BenchOptions = {}) {
  const tautulli = await startTautulli(options)
  const manifest = shippedManifest('tautulli', undefined)
  const bench = await openBench(tautulli, 'STATSA', { plugin, manifest }, connected ? tautulliSettings(tautulli) : {}, {
    ...(settings === undefined ? {} : { settings }),
    ...(capabilities === undefined ? {} : { capabilities }),
  })
  return {
    ...bench,
    tautulli,
    read: (request?: Partial<ReadRequest>, instance?: string) => bench.read('history', request, instance),
  }
}
