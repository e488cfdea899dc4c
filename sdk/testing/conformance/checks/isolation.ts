// Checks that two profiles of two people are independent.
import type { Check } from '../contract.ts'
import {
  always,
  each,
  eachWithCheckpoint,
  featuresOf,
  must,
  needsFeature,
  printsOf,
  same,
  writable,
} from './support.ts'

const group = 'isolation'

export const isolation: readonly Check[] = [
  {
    id: 'isolation.rows',
    group,
    title: 'a profile reads its own rows and no others',
    points: 3,
    applies: always,
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, addProfile, read }, feature) => {
        const other = await addProfile(1)
        await simulator.seed(0, feature, 5)
        const empty = await read(feature, {}, other)
        must(empty.rows.length === 0, `${empty.rows.length} rows of another profile came`)
        const own = await read(feature)
        must(own.rows.length === 5, `${own.rows.length} of 5 rows of its own came`)
      }),
  },
  {
    id: 'isolation.at-once',
    group,
    title: 'two profiles that are read at the same time stay apart',
    points: 2,
    applies: always,
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, addProfile, read }, feature) => {
        const other = await addProfile(1)
        await simulator.seed(0, feature, 5)
        await simulator.seed(1, feature, 2)
        const [own, others] = await Promise.all([read(feature), read(feature, {}, other)])
        must(
          own.rows.length === 5 && others.rows.length === 2,
          `${own.rows.length} of 5 and ${others.rows.length} of 2 rows came`,
        )
        must(own.end.account !== others.end.account, 'both say that they are the same account')
      }),
  },
  {
    id: 'isolation.checkpoint',
    group,
    title: 'the checkpoint of one profile says nothing about another',
    points: 3,
    applies: always,
    run: (subject) =>
      eachWithCheckpoint(subject, featuresOf(subject), async ({ simulator, addProfile, read, tryRead }, feature) => {
        const other = await addProfile(1)
        await simulator.seed(0, feature, 5)
        await simulator.seed(1, feature, 2)
        const {
          end: { checkpoint },
        } = await read(feature)
        if (checkpoint === undefined) return 'none'
        const foreign = await tryRead(feature, { since: checkpoint }, other)
        must(
          'error' in foreign || foreign.end.semantics === 'present',
          'it was taken for a checkpoint of the other profile',
        )
      }),
  },
  {
    id: 'isolation.writes',
    group,
    title: 'a write to one profile changes no other',
    points: 3,
    applies: needsFeature(writable, 'nothing can be added'),
    run: (subject) =>
      each(subject, featuresOf(subject, writable), async ({ simulator, addProfile, read, outcomesOf }, feature) => {
        const other = await addProfile(1)
        await simulator.seed(0, feature, 3)
        // Write to both profiles first, so that caches are filled.
        await outcomesOf(feature, 'add', await simulator.fresh(feature, 1))
        const before = printsOf((await read(feature)).rows)
        await outcomesOf(feature, 'add', await simulator.fresh(feature, 2), other)
        must(same(before, printsOf((await read(feature)).rows)), 'the rows of the first profile changed')
        const count = await simulator.count(1, feature)
        must(count === 2, `the second person has ${count} of 2`)
      }),
  },
  {
    id: 'isolation.disconnect',
    group,
    title: 'disconnecting one profile leaves the other signed in',
    applies: always,
    async run(subject) {
      await using bench = await subject.open()
      const other = await bench.addProfile(1)
      await bench.provider.disconnect('default')
      const { status } = await bench.provider.probe(other)
      must(status === 'ok', `the other is now ${status}`)
      return undefined
    },
  },
  {
    id: 'isolation.revoked',
    group,
    title: 'a revoked profile leaves the other at work',
    points: 2,
    applies: ({ can }) => can.revoke || 'its credentials cannot be revoked',
    async run(subject) {
      await using bench = await subject.open()
      const other = await bench.addProfile(1)
      await bench.simulator.revoke?.(0)
      const [feature] = featuresOf(subject)
      if (feature !== undefined) await bench.tryRead(feature)
      const { status } = await bench.provider.probe(other)
      must(status === 'ok', `the other is now ${status}`)
      return undefined
    },
  },
  {
    id: 'isolation.removed',
    group,
    title: 'a profile that is removed is gone, and its number is never given out again',
    points: 2,
    applies: always,
    async run(subject) {
      await using bench = await subject.open()
      const other = await bench.addProfile(1)
      await bench.provider.removeProfile(other)
      must(!(await bench.provider.profiles()).some(({ id }) => id === other), 'it is still there')
      const next = await bench.provider.createProfile({})
      must(next !== other, `the new profile is ${next} again`)
      return undefined
    },
  },
]
