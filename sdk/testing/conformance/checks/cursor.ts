// Checks of incremental reads: all changes since the checkpoint are returned, and removals are named.
import type { Item } from '../../../items/item.ts'
import type { Check } from '../contract.ts'
import {
  all,
  always,
  each,
  eachWithCheckpoint,
  endText,
  featuresOf,
  must,
  needsService,
  printOf,
  printsOf,
  same,
  seeded,
} from './support.ts'

const group = 'reads'

export const cursor: readonly Check[] = [
  {
    id: 'reads.cursor',
    group,
    title: 'a checkpoint leads to what changed, and nothing that changed is missed',
    points: 3,
    applies: needsService,
    run: (subject) =>
      eachWithCheckpoint(subject, featuresOf(subject), async ({ simulator, provider, read }, feature) => {
        await simulator.seed(0, feature, 13)
        const {
          rows: known,
          end: { checkpoint },
        } = await read(feature)
        if (checkpoint === undefined) return 'none'
        const again = await read(feature, { since: checkpoint })
        must(
          again.end.semantics !== 'present' || same(printsOf(again.rows), printsOf(known)),
          'nothing changed, and other rows came',
        )
        await simulator.seed(0, feature, 1)
        // As at the start of a run: resets the values that features of a run share.
        await provider.probe('default')
        const { rows, end } = await read(feature, { since: checkpoint })
        must(end.semantics !== 'unchanged', 'a row was added, and the read says that nothing changed')
        const before = new Set(printsOf(known))
        must(
          printsOf(rows).some((print) => !before.has(print)),
          'the row that was added did not come',
        )
      }),
  },
  {
    id: 'reads.cursor-during',
    group,
    title: 'what changes while a list is read is found by the next read from its checkpoint',
    points: 3,
    applies: needsService,
    run: (subject) =>
      eachWithCheckpoint(
        subject,
        featuresOf(subject),
        async ({ simulator, provider, read, outcomesOf }, feature) => {
          await simulator.seed(0, feature, 24)
          const known = new Set<string>()
          let isChanged = false
          let checkpoint: string | undefined
          // Another value changes no total, so that only the checkpoint can lead to it.
          const change = async (rows: readonly Item[]) => {
            const [first] = rows
            if (feature !== 'ratings' || subject.description.features.ratings?.update !== true || first === undefined)
              return simulator.seed(0, feature, 1)
            const { native: _native, library_id: _library, ...item } = first
            await outcomesOf(feature, 'update', [{ ...item, rating: first.rating === 3 ? 9 : 3 }])
          }
          for await (const part of provider.read('default', { feature })) {
            if (part.type === 'end') {
              checkpoint = part.end.checkpoint
              continue
            }
            for (const row of part.rows) known.add(printOf(row))
            if (!isChanged) await change(part.rows)
            isChanged = true
          }
          await provider.probe('default')
          const whole = await read(feature)
          if (checkpoint === undefined) return whole.end.checkpoint === undefined ? 'none' : undefined
          const missed = printsOf(whole.rows).filter((print) => !known.has(print))
          const { rows, end } = await read(feature, { since: checkpoint })
          must(
            missed.length === 0 || end.semantics !== 'unchanged',
            'a row changed while the list was read, and the next read says that nothing changed',
          )
          const came = new Set(printsOf(rows))
          must(
            missed.every((print) => came.has(print)),
            'a row changed while the list was read, and did not come with the next read',
          )
          return undefined
        },
        { size: 32 },
      ),
  },
  {
    id: 'reads.cursor-used',
    group,
    title: 'a checkpoint saves requests or rows when nothing changed',
    applies: needsService,
    run: (subject) =>
      eachWithCheckpoint(
        subject,
        featuresOf(subject),
        async (bench, feature) => {
          await bench.simulator.seed(0, feature, 40)
          await bench.host.reload()
          const asked = bench.requests().length
          const first = await bench.read(feature)
          if (first.end.checkpoint === undefined) return 'none'
          const whole = bench.requests().length - asked
          await bench.host.reload()
          const before = bench.requests().length
          const { rows } = await bench.read(feature, { since: first.end.checkpoint })
          const spent = bench.requests().length - before
          must(
            spent < whole || rows.length < first.rows.length,
            `it gives checkpoints, and sends ${spent} requests as without one (${whole})`,
          )
        },
        { size: 48 },
      ),
  },
  {
    id: 'reads.cursor-removal',
    group,
    title: 'with a checkpoint a row that was taken off is named or missing, never kept',
    points: 3,
    applies: all(needsService, ({ can }) => can.takeOff || 'its adapter cannot take items off'),
    run: (subject) =>
      eachWithCheckpoint(subject, featuresOf(subject), async ({ simulator, provider, read }, feature) => {
        await simulator.seed(0, feature, 5)
        const {
          end: { checkpoint },
        } = await read(feature)
        if (checkpoint === undefined) return 'none'
        await simulator.takeOff?.(0, feature)
        await provider.probe('default')
        const { rows, end } = await read(feature, { since: checkpoint })
        must(end.semantics !== 'unchanged', 'a row was taken off, and the read says that nothing changed')
        const left = await simulator.count(0, feature)
        if (end.semantics === 'present')
          must(!end.complete || rows.length === left, `${rows.length} rows came, ${left} are there`)
        else must((end.deleted?.length ?? 0) > 0 || !end.complete, 'the delta does not name the row that went')
      }),
  },
  {
    id: 'reads.cursor-foreign',
    group,
    title: 'a checkpoint that it does not know leads to a whole read',
    points: 2,
    applies: always,
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, tryRead }, feature) => {
        const wanted = await seeded({ simulator }, feature, 5)
        const read = await tryRead(feature, { since: 'not-a-checkpoint' })
        if ('error' in read) return
        must(read.end.semantics === 'present', `it was taken for a checkpoint: ${endText(read.end)}`)
        must(read.rows.length === wanted || !read.end.complete, `${read.rows.length} of ${wanted} rows came`)
      }),
  },
]
