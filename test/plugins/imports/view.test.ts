// The state of an import in responses.
import t from 'tap'
import { isOutdated, viewOf } from '../../../plugins/services/imports/view.ts'

const about = { format: 'imdb', label: 'IMDb', name: 'a', bytes: 1, sha256: '', skipped: {}, warnings: [] }
const importOf = (state: string) => ({ id: 'a', created_at: 1, changed_at: 1, about, state, run: null })

/** An import whose state advances with each read; it ends after this many reads. */
function partsOf(states: readonly string[], { activeFor = 0 } = {}) {
  let reads = 0
  const parts = {
    work: {
      find: async () => importOf(states[Math.min(reads++, states.length - 1)]!),
      counts: async () => ({ rows: [], persons: [], titles: { total: 0, open: 0 } }),
    },
    jobs: { isActive: () => reads < activeFor },
  }
  return { parts: parts as never as Parameters<typeof viewOf>[0], reads: () => reads }
}

t.test('an import that ends while it is displayed is not interrupted; one without a worker is', async (t) => {
  const ending = partsOf(['undoing', 'undone'])
  t.match(await viewOf(ending.parts, 'a'), { state: 'undone' })
  for (const state of ['comparing', 'running', 'undoing']) {
    t.match(await viewOf(partsOf([state]).parts, 'a'), { state: 'interrupted' })
    const going = partsOf([state], { activeFor: 9 })
    t.match(await viewOf(going.parts, 'a'), { state })
    t.equal(going.reads(), 1)
    t.equal(isOutdated(going.parts, [importOf('done'), importOf(state)] as never), false)
    t.equal(isOutdated(partsOf([state]).parts, [importOf('done'), importOf(state)] as never), true)
  }
  const done = partsOf(['done'])
  t.match(await viewOf(done.parts, 'a'), { state: 'done' })
  t.equal(done.reads(), 1)
})
