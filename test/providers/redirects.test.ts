// Sign-in over a page of the service: only the browser that started it can complete it, once and in time.
import { mock } from 'node:test'
import { DEFAULT_PROFILE } from '@playhead/sdk'
import type { Bench, FlowScript } from '@playhead/sdk/testing/conformance'
import t from 'tap'
import { subjectOf, WITH_SERVICE } from './subjects.ts'

const LIFE_MS = 15 * 60_000
const STRANGERS = [null, { id: 'another-session', username: 'tester' }] as const

let flows = 0

for (const id of WITH_SERVICE) {
  const subject = await subjectOf(id)
  const back = subject.manifest.routes?.find(({ auth, method }) => auth === 'P' && method === 'GET')?.path
  if (!subject.can.flows.includes('oauth') || back === undefined) continue
  flows += 1

  t.test(
    `${id}: a redirect that was started elsewhere, by another person, is old or was used is refused`,
    async (t) => {
      await using bench = await subject.open({ signedIn: false })
      const flow = flowOf(bench)
      const come = async (state: string, session?: (typeof STRANGERS)[number]) => {
        const asked = bench.requests().length
        const url = `${back}?code=some-code&state=${encodeURIComponent(state)}`
        const answer = await bench.host.inject({ url }, session === undefined ? {} : { session })
        t.equal(answer.statusCode, 400)
        t.match(answer.headers['content-type'], /^text\/plain/)
        t.notOk(answer.body.includes(state), 'nothing of the address is repeated')
        t.equal(bench.requests().length, asked, 'nobody is asked')
        t.equal(await isSignedIn(bench), false, 'nothing is stored')
      }

      await come('forged')
      await come('<script>alert(1)</script>')

      const begun = await begin(bench, flow)
      for (const stranger of STRANGERS) await come(begun, stranger)
      t.equal(await flow.poll(bench.host, DEFAULT_PROFILE), 'authorized', 'a stranger spoils nothing')
      await bench.provider.disconnect(DEFAULT_PROFILE)
      await come(begun)

      const late = await begin(bench, flow)
      mock.timers.enable({ apis: ['Date'], now: Date.now() + LIFE_MS + 1_000 })
      t.teardown(() => mock.timers.reset())
      await come(late)
    },
  )
}

t.test('every provider with a redirect flow is covered', async (t) => t.equal(flows, 3))

function flowOf({ simulator }: Bench): FlowScript {
  return simulator.flows?.find(({ method }) => method === 'oauth') as FlowScript
}

/** The person starts and consents; returns the state that the browser brings back. */
async function begin({ host }: Bench, flow: FlowScript): Promise<string> {
  const { code } = await flow.start(host, DEFAULT_PROFILE)
  await flow.approve(code)
  return new URL(code).searchParams.get('state') as string
}

async function isSignedIn({ provider }: Bench): Promise<boolean | undefined> {
  return (await provider.profiles()).find(({ id }) => id === DEFAULT_PROFILE)?.configured
}
