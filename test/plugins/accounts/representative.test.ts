// The profile that represents a provider, for all mixtures of profiles.
import fc from '../../fast-check.ts'
import t from 'tap'
import { changeFor } from '../../../plugins/services/accounts/uids.ts'
import { representative, toProbe, type ProfileFacts } from '../../../plugins/services/accounts/representative.ts'

const profiles = fc
  .array(fc.record({ configured: fc.boolean(), used: fc.boolean(), connected: fc.boolean() }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((list): ProfileFacts[] =>
    list.map((facts, index) => ({ ...facts, id: index === 0 ? 'default' : `X-P0${index}` })),
  )

t.test('a provider is represented by the best of its relevant profiles', async () => {
  fc.assert(
    fc.property(profiles, (list) => {
      const id = representative(list)
      const chosen = list.find((one) => one.id === id) as ProfileFacts
      const used = list.filter((one) => one.used)
      if (used.length > 0 && !chosen.used) throw new Error('a used profile goes before all others')
      const rivals = used.length > 0 ? used : list
      if (rivals.some(({ connected }) => connected) !== chosen.connected)
        throw new Error('one that works goes before one that does not')
      const working = rivals.filter(({ connected }) => connected)
      const hasFurther = working.some((one) => one.id !== 'default')
      if (used.length > 0 && hasFurther && id === 'default')
        throw new Error('a used further profile goes before the default one')
      if (used.length === 0 && working.some((one) => one.id === 'default') && id !== 'default')
        throw new Error('of unused ones the default goes first')
      if (working.length === 0 && used.length === 0 && list.some((one) => one.configured) && !chosen.configured)
        throw new Error('a configured one goes first')
    }),
  )
})

t.test('the representative profile was probed, unless nothing is configured', async () => {
  fc.assert(
    fc.property(profiles, fc.boolean(), (list, isFree) => {
      const probed = toProbe(list, isFree)
      const known = list.map((one) => ({ ...one, connected: one.connected && one.configured && probed.has(one.id) }))
      const isBlank = !list.some(({ configured, used }) => configured || used)
      if (!probed.has(representative(known)) && !isBlank) throw new Error('not asked')
      if (!isFree && probed.size > Math.max(1, list.filter(({ used }) => used).length))
        throw new Error('more were asked than matter')
    }),
  )
})

const names = fc.uniqueArray(fc.constantFrom('default', 'P01', 'P02', 'P03'), { maxLength: 4 })
const stored = fc.dictionary(
  fc.stringMatching(/^[0-9a-f]{32}$/),
  fc.record({ provider: fc.constantFrom('A', 'B', 'OFF'), instance: fc.constantFrom('default', 'P01', 'P02', 'P03') }),
  { maxKeys: 8 },
)
const providers = fc
  .tuple(names, names)
  .map(([a, b]) =>
    [a, b].map((list, index) => ({ about: { id: 'AB'[index] as string }, profiles: list.map((id) => ({ id })) })),
  )

t.test(
  'after a check each profile has exactly one uid, known ones keep theirs, and profiles of disabled providers keep all',
  async () => {
    fc.assert(
      fc.property(stored, providers, (before, seen) => {
        const change = changeFor(before, seen)
        const after = Object.entries({ ...before, ...change }).filter(([, value]) => value !== undefined) as [
          string,
          { provider: string; instance: string },
        ][]
        for (const { about, profiles } of seen) {
          const isComplete = profiles.some(({ id }) => id === 'default')
          for (const { id } of profiles) {
            const uids = after
              .filter(([, value]) => value.provider === about.id && value.instance === id)
              .map(([uid]) => uid)
            const old = Object.entries(before)
              .filter(([, value]) => value.provider === about.id && value.instance === id)
              .map(([uid]) => uid)
            if (uids.length === 0 || (isComplete && uids.length > 1)) throw new Error(`${uids.length} uids`)
            if (old.length > 0 && uids[0] !== old[0]) throw new Error('a known uid was replaced')
          }
          const extra = after.filter(
            ([, value]) => value.provider === about.id && !profiles.some(({ id }) => id === value.instance),
          )
          const extraBefore = Object.values(before).filter(
            (value) => value.provider === about.id && !profiles.some(({ id }) => id === value.instance),
          )
          if (extra.length !== (isComplete ? 0 : extraBefore.length))
            throw new Error('absence was taken for granted, or not seen')
        }
        const off = (all: object) => Object.entries(all).filter(([, value]) => value?.provider === 'OFF').length
        if (off(Object.fromEntries(after)) !== off(before)) throw new Error('a provider that is off lost a uid')
        const again = changeFor(Object.fromEntries(after), seen)
        if (Object.keys(again).length > 0) throw new Error('a second look changes something')
      }),
    )
  },
)
