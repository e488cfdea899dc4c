// slow: every request of every provider
// Every shipped provider against a service that accepts requests and never answers.
import t from 'tap'
import { DEFAULT_PROFILE, isPlayheadError } from '@playhead/sdk'
import { openSubject, type Adapter } from '@playhead/sdk/testing/conformance'
import { join } from 'node:path'
import { adapterOf, WITH_SERVICE } from './subjects.ts'

/** These have no timeout setting, or it does not apply to the first request, so the SDK's 20 s apply. */
const WITHOUT_SETTING = new Set(['anilist', 'example', 'plex'])

/** The adapter, with the shortest request timeout that can be configured. */
async function impatient(id: string): Promise<Adapter> {
  const adapter = await adapterOf(id)
  return {
    ...adapter,
    async start(...args) {
      const simulator = await adapter.start(...args)
      return new Proxy(simulator, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name, target)
          if (name === 'config') return { ...(value as object), timeout: 1 }
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    },
  }
}

for (const id of WITH_SERVICE.filter((one) => !WITHOUT_SETTING.has(one))) {
  t.test(`${id} fails after its configured timeout, not a multiple of it`, async (t) => {
    const subject = await openSubject({
      folder: join(import.meta.dirname, '../../plugins/providers', id),
      adapter: await impatient(id),
    })
    await using bench = await subject.open()
    const feature = Object.entries(subject.description.features).find(([, { read }]) => read)?.[0] as 'history'
    await bench.simulator.seed(0, feature, 1)
    bench.fault({ kind: 'hang' })
    t.match(await bench.provider.probe(DEFAULT_PROFILE), { status: 'down', reasonCode: 'timeout' })
    const outcome = await bench.tryRead(feature)
    const error = 'error' in outcome ? outcome.error : undefined
    t.ok(isPlayheadError(error, 'PLH_UPSTREAM_TIMEOUT'), String(error ?? 'it was read'))
    if (isPlayheadError(error)) t.match(error.message, /within 1000 ms/)
  })
}
