// What became of a change has one meaning, whichever page requested it.
import t from 'tap'
import { type AccountChanges, type ActionOrder, type ChangeOutcome, PlayheadError } from '@playhead/sdk'
import { film, openManual, to } from '../manual/world.ts'
import { movie, openWorld } from '../playback/world.ts'
import { actionsOf } from './service.ts'

type Answer = Omit<ChangeOutcome, 'key' | 'op'> | PlayheadError

const SECRET = 'No. https://user:hunter2@example.test'

/** What both pages say about the same response of the engine. */
async function said(answer: Answer) {
  await using manual = await openManual()
  manual.account('TRACKA').answer = answer
  const rating = { item: film, providers: to('TRACKA'), actions: { history: false, rating: true }, rating: 8 }
  const { status, reason } = (await manual.mark(rating)).body.results[0].rating
  await using playback = await openWorld({
    accounts: { 'ALPHA@default': [movie(1, 35)] },
    answer: () => {
      if (answer instanceof PlayheadError) throw answer
      return answer
    },
  })
  const target = { provider: 'alpha', remote_id: 'row-1', progress_percent: 60 }
  const moved = await playback.post('actions/update_progress', target)
  const words: Record<string, string> = { applied: 'done', progress_unchanged: 'already' }
  const word = moved.body.status === 'skipped' ? moved.body.reason : moved.body.status
  return {
    manual: [status, reason],
    playback: [words[word] ?? word, words[word] === undefined ? moved.body.reason : undefined],
    http: moved.status,
    text: JSON.stringify(moved.body),
  }
}

const cases: readonly (readonly [Answer, status: string, reason: string | undefined, http: number])[] = [
  [{ outcome: 'applied' }, 'done', undefined, 200],
  [{ outcome: 'already' }, 'already', undefined, 200],
  [{ outcome: 'not_found' }, 'unresolved', 'not_found', 502],
  [{ outcome: 'rejected', reason: 'provider_limit' }, 'unresolved', 'provider_limit', 502],
  [{ outcome: 'rejected', reason: SECRET }, 'unresolved', 'rejected', 502],
  [{ outcome: 'held', reason: 'removal_side_effects' }, 'unresolved', 'removal_side_effects', 502],
  [{ outcome: 'unknown' }, 'unresolved', 'unknown', 502],
  [{ outcome: 'unknown', reason: 'timeout' }, 'unresolved', 'timeout', 504],
  [{ outcome: 'failed', reason: 'http_503' }, 'failed', 'http_503', 502],
  [{ outcome: 'rate_limited' }, 'failed', 'rate_limited', 502],
  [{ outcome: 'deferred', reason: 'not_attempted' }, 'failed', 'not_attempted', 502],
  [{ outcome: 'deferred', reason: 'account_changed' }, 'failed', 'account_changed', 409],
  [new PlayheadError('PLH_UPSTREAM', SECRET, { details: { status: 503 } }), 'failed', 'http_503', 502],
  [new PlayheadError('PLH_UPSTREAM_TIMEOUT', SECRET), 'failed', 'timeout', 504],
  [new PlayheadError('PLH_CONFLICT', SECRET, { wire: 'account_changed' }), 'failed', 'account_changed', 409],
  // 401 would sign the person out.
  [new PlayheadError('PLH_AUTH_FAILED', SECRET), 'failed', 'unauthorized', 502],
]
for (const [answer, status, reason, http] of cases) {
  const name = answer instanceof PlayheadError ? answer.code : `${answer.outcome} ${answer.reason ?? ''}`
  t.test(`one word for one situation: ${name}`, async (t) => {
    const { manual, playback, http: sent, text } = await said(answer)
    t.same(manual, [status, reason])
    t.same(playback, [status, reason])
    t.equal(sent, http)
    t.notMatch(text, /hunter2/)
  })
}

interface Call {
  readonly planId: string
  readonly approved?: boolean
}

/** A library whose accounts respond as given. */
function libraryOf(answers: Readonly<Record<string, () => readonly ChangeOutcome[] | null>>, held = {}) {
  const plans: AccountChanges[] = []
  const calls: Call[] = []
  return {
    plans,
    calls,
    async plan(changes: AccountChanges) {
      plans.push(changes)
      return { planId: String(plans.length), held: null, ...held }
    },
    async applyWhenFree(planId: string, { approved }: { approved?: boolean }) {
      calls.push({ planId, ...(approved === undefined ? {} : { approved }) })
      return answers[plans[Number(planId) - 1]!.provider]!()
    },
    async apply(planId: string, options: { approved?: boolean }) {
      return (await this.applyWhenFree(planId, options)) ?? []
    },
    async outcomes() {
      return null
    },
  }
}

const order = (provider: string, ...keys: readonly string[]): ActionOrder => ({
  ...{ provider, instance: 'default', feature: 'watchlist', cause: 'test', waitMs: 1 },
  changes: keys.map((key) => ({ op: 'add', key, item: { type: 'movie', ids: { tmdb: key } } })),
})
const done = (...keys: readonly string[]) => keys.map((key) => ({ key, op: 'add', outcome: 'applied' }) as const)

t.test('a failing account does not stop the others, and each change has an outcome', async (t) => {
  const library = libraryOf({
    A: () => done('2', '1'),
    B: () => {
      throw new PlayheadError('PLH_UPSTREAM', SECRET)
    },
    C: () => null,
    D: () => [],
  })
  const reports = await actionsOf(library).act([
    order('A', '1', '2'),
    order('B', '1', '2'),
    order('C', '3'),
    order('D', '4'),
  ])
  t.same(
    reports.map(({ planId, isWaiting, outcomes }) => [
      planId,
      isWaiting,
      ...outcomes.map(({ key, status, ok }) => `${key} ${status} ${ok}`),
    ]),
    [
      ['1', false, '1 done true', '2 done true'],
      ['2', false, '1 failed false', '2 failed false'],
      ['3', true, '3 waiting false'],
      ['4', false, '4 unresolved false'],
    ],
  )
  t.match(reports[1]!.failure, { code: 'PLH_UPSTREAM', reason: 'connection_lost' })
})

t.test('orders of one account follow each other; other accounts do not wait for them', async (t) => {
  const steps: string[] = []
  const library = libraryOf({})
  const planned = library.plan
  library.plan = async (changes) => {
    steps.push(`${changes.provider} plans`)
    return planned(changes)
  }
  library.applyWhenFree = async (planId) => {
    const { provider } = library.plans[Number(planId) - 1]!
    await new Promise((done) => setTimeout(done, 20))
    steps.push(`${provider} ends`)
    return []
  }
  await actionsOf(library).act([order('A', '1'), order('A', '2'), order('B', '1')])
  t.same(steps.slice(0, 2), ['A plans', 'B plans'])
  t.same(
    steps.filter((step) => step.startsWith('A')),
    ['A plans', 'A ends', 'A plans', 'A ends'],
  )
})

t.test('a requested number of removals is approved, removals of other data are not', async (t) => {
  for (const [reason, approved] of [
    ['mass_delete', true],
    ['removal_side_effects', false],
  ] as const) {
    const library = libraryOf({ A: () => done('1') }, { held: { count: 1, reason } })
    await actionsOf(library).act([{ ...order('A', '1'), approved: 'mass_delete' }])
    t.same(library.calls, [{ planId: '1', approved }])
  }
})

t.test('a plan is applied once: a second request waits for the first, and a known end is returned', async (t) => {
  const gate = Promise.withResolvers<void>()
  const library = libraryOf({ A: () => done('1') })
  const applied = library.applyWhenFree
  library.applyWhenFree = async (...given) => {
    await gate.promise
    return applied.apply(library, given)
  }
  const actions = actionsOf(library)
  const { planId } = await actions.plan(order('A', '1'))
  const both = Promise.all([1, 2].map(() => actions.apply(planId, { waitMs: 1 })))
  t.equal((await actions.outcomes(planId)).isWaiting, true)
  gate.resolve()
  t.match(await both, [{ outcomes: [{ status: 'done' }] }, { outcomes: [{ status: 'done' }] }])
  t.equal(library.calls.length, 1)
  for (const wire of ['plan_applied', 'plan_waiting']) {
    library.applyWhenFree = async () => {
      throw new PlayheadError('PLH_CONFLICT', 'known', { wire })
    }
    t.equal((await actions.apply(planId, { waitMs: 1 })).isWaiting, true, wire)
  }
})
