// The secrets of a profile are sent only to their service, and only in requests of that profile.
import { DEFAULT_PROFILE, type Feature, type FeatureSupport } from '@playhead/sdk'
import type { Bench, Subject } from '@playhead/sdk/testing/conformance'
import t from 'tap'
import type { Upstream } from '../upstreams/base/index.ts'
import { subjectOf, WITH_SERVICE } from './subjects.ts'

for (const id of WITH_SERVICE) {
  t.test(`${id}: the requests of one profile contain no secret of the other`, async (t) => {
    const subject = await subjectOf(id)
    await using bench = await subject.open()
    const other = await bench.addProfile(1)
    const received = recordAll(bench)
    const profiles = [DEFAULT_PROFILE, other]

    let secrets = 0
    for (const instance of profiles) {
      // Refreshed tokens belong to the profile as well.
      const foreign = secretsOf(bench, instance === other ? DEFAULT_PROFILE : other)
      secrets += foreign.length
      received.length = 0
      await useAll(subject, bench, instance)
      const sent = (await Promise.all(received)).join('\n')
      t.ok(sent.length > 0, 'it asked the service')
      for (const secret of foreign) t.notOk(sent.includes(secret), `${instance} says no secret of the other`)
    }
    // A statistics server has one key for all users.
    if (id !== 'tautulli') t.ok(secrets >= 2, 'each has a secret of its own')
  })
}

/** Secrets in the settings of this profile that the other profiles do not have. */
function secretsOf({ simulator, host }: Bench, instance: string): readonly string[] {
  const { instances = {}, ...first } = host.ctx.config as { readonly instances?: Readonly<Record<string, unknown>> }
  const all: Readonly<Record<string, unknown>> = { ...instances, [DEFAULT_PROFILE]: first }
  const has = (name: string, secret: string) => JSON.stringify(all[name]).includes(secret)
  return simulator
    .secrets()
    .filter(
      (secret) => has(instance, secret) && Object.keys(all).every((name) => name === instance || !has(name, secret)),
    )
}

/** Records all requests from now on, with headers and body. */
function recordAll({ simulator }: Bench): Promise<string>[] {
  const received: Promise<string>[] = []
  for (const service of simulator.services as readonly Upstream[]) {
    service.onAnswer(({ request }) => {
      const { method, path, query, headers } = request
      received.push(
        request
          .body()
          .then((body) => [method, path, query.toString(), JSON.stringify(headers), body.toString()].join(' ')),
      )
    })
  }
  return received
}

async function useAll({ description, manifest }: Subject, bench: Bench, instance: string): Promise<void> {
  await bench.provider.probe(instance)
  for (const [feature, support] of Object.entries(description.features) as [Feature, FeatureSupport][]) {
    if (support.read) await bench.read(feature, {}, instance)
    if (support.add) await bench.outcomesOf(feature, 'add', await bench.simulator.fresh(feature, 1), instance)
  }
  for (const { method, path } of manifest.routes ?? []) {
    if (method === 'GET' && !path.includes('callback')) await bench.host.inject(`${path}?instance=${instance}`)
  }
}
