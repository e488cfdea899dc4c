// The numbers of the last run in the widget are those of the pages.
import t from 'tap'
import { openWorld } from './world.ts'

const RUN = { running: false, dry_run: false, exit_code: 0, finished_at: '2026-07-01T20:00:00Z' }

async function widgetAfter(counts: object) {
  const sync = {
    pairs: async () => [],
    active: async () => null,
    reports: async () => [{ ...RUN, run_id: 'r1', result: 'ok', ...counts }],
  }
  await using world = await openWorld({ capabilities: { sync } })
  return (await world.get('/api/widget')).body.last_run
}

t.test('what a library lacks does not need the person, held removals do', async (t) => {
  t.match(await widgetAfter({ unresolved: 9, not_in_library: 9, held: 0, open: 0 }), { unresolved: 0, held: 0 })
  t.match(await widgetAfter({ unresolved: 9, not_in_library: 4, held: 3, open: 8 }), { unresolved: 8, held: 3 })
})

t.test('a summary of an older version has no number of open items', async (t) => {
  t.match(await widgetAfter({ unresolved: 9, not_in_library: 4, held: 3 }), { unresolved: 8, held: 3 })
  t.match(await widgetAfter({ unresolved: 9 }), { unresolved: 9, held: 0 })
})
