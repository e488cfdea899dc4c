// Random sequences of what can happen to one plugin.
import t from 'tap'
import {
  type Cause,
  initialState,
  isNewest,
  isSwitchedOff,
  isToLoad,
  shownState,
  type SlotEvent,
  type SlotState,
  transition,
} from '../../../core/host/compose/slot.ts'
import fc, { runsOf } from '../../fast-check.ts'

const liveOf = (sourceHash: string) => ({ staged: { sourceHash } }) as never
const dormantOf = (sourceHash: string) => ({ snapshot: { sourceHash } }) as never
const faultOf = (message: string, code = 'PLH_PLUGIN_FAULT') => ({ phase: 'setup', code, message }) as never

const hash = fc.constantFrom('a', 'b', 'c')
const EVENTS: { readonly [Type in SlotEvent['type']]: fc.Arbitrary<SlotEvent & { readonly type: Type }> } = {
  read: hash.map((found) => ({ type: 'read', found })),
  noted: hash.map((sourceHash) => ({ type: 'noted', dormant: dormantOf(sourceHash) })),
  building: fc.boolean().map((isUsed) => ({ type: 'building', isUsed })),
  staging: fc.constant({ type: 'staging' }),
  'given up': fc.constant({ type: 'given up' }),
  activated: hash.map((sourceHash) => ({ type: 'activated', live: liveOf(sourceHash) })),
  failed: fc
    .constantFrom('PLH_PLUGIN_SETUP', 'PLH_CAPABILITY_MISSING')
    .map((code) => ({ type: 'failed', fault: faultOf('load', code), rival: null })),
  mended: fc.constant({ type: 'mended' }),
  faulted: fc.constant({ type: 'faulted', fault: faultOf('call') }),
  quarantined: fc
    .option(fc.constant(faultOf('stall')), { nil: undefined })
    .map((fault) => ({ type: 'quarantined', ...(fault === undefined ? {} : { fault }) })),
  ended: fc.constant({ type: 'ended', fault: faultOf('thread') }),
  disabled: fc.constant({ type: 'disabled' }),
  removed: fc.constant({ type: 'removed' }),
  stuck: fc.constant({ type: 'stuck' }),
}
/** The event that a start notes before anything else. */
const { noted, ...afterwards } = EVENTS
const sequences = fc
  .tuple(fc.boolean(), fc.option(noted), fc.array(fc.oneof(...Object.values(afterwards)), { maxLength: 30 }))
  .map(([enabled, first, rest]) => ({ enabled, events: enabled && first !== null ? [first, ...rest] : rest }))

/** Calls the check with each step of random sequences. */
function eachStep(check: (before: SlotState, event: SlotEvent, after: SlotState) => void): void {
  fc.assert(
    fc.property(sequences, ({ enabled, events }) => {
      let state = initialState(enabled)
      for (const event of events) {
        const before = state
        state = transition(before, event)
        check(before, event, state)
      }
    }),
    { numRuns: runsOf(4_000) },
  )
}

t.test('whatever happens, one thing is true of a plugin', (t) => {
  const reached = new Set<string>()
  eachStep((_before, { type }, state) => {
    const { live, dormant, loading, outBecause, isStuck, failedLoad, lastError } = state
    const facts = JSON.stringify({ type, state })
    reached.add(shownState(state))
    if (live !== null && (dormant !== null || loading !== null || outBecause !== null || isStuck))
      throw new Error(`a version runs, and something else is true: ${facts}`)
    if (dormant !== null && (outBecause !== null || isStuck || failedLoad !== null || lastError !== null))
      throw new Error(`dormant, and something else is true: ${facts}`)
    if ((shownState(state) === 'active') !== (live !== null)) throw new Error(`shown as something else: ${facts}`)
    if (failedLoad !== null && lastError === null) throw new Error(`a failure that is not shown: ${facts}`)
  })
  t.same(
    [...reached].sort(),
    'active blocked building disabled discovered dormant failed quarantined staging stuck'.split(' '),
    'every state is reached',
  )
  t.end()
})

t.test('a version runs until something ends it, and only an activation starts one', (t) => {
  const ends = new Set<SlotEvent['type']>(['quarantined', 'ended', 'disabled', 'removed'])
  eachStep((before, event, after) => {
    if (event.type === 'activated') {
      if (!isSwitchedOff(before) && after.live !== event.live) throw new Error('an activated version does not run')
    } else if (before.live !== null && !ends.has(event.type) && after.live !== before.live)
      throw new Error(`"${event.type}" ended a version`)
    else if (after.live !== null && after.live !== before.live) throw new Error(`"${event.type}" started a version`)
  })
  t.end()
})

t.test('what is mended is no longer shown, and a fault of the version that runs is', (t) => {
  eachStep((before, { type }, after) => {
    if (type !== 'mended' || before.live === null) return
    const isOfLoad = before.lastError === before.failedLoad?.fault
    if (after.failedLoad !== null || after.lastError !== (isOfLoad ? null : before.lastError))
      throw new Error(JSON.stringify({ before, after }))
  })
  t.end()
})

t.test('a plugin that was switched off stays off until a load begins', (t) => {
  eachStep((before, { type }, after) => {
    if (!isSwitchedOff(before) || type === 'building') return
    if (!isSwitchedOff(after) || after.live !== null || after.dormant !== null)
      throw new Error(`"${type}" switched it on: ${JSON.stringify(after)}`)
    if (!['disabled', 'stuck'].includes(shownState(after))) throw new Error(`"${type}" shows ${shownState(after)}`)
  })
  t.end()
})

t.test('a load that is given up leaves what was there before it', (t) => {
  eachStep((before, event) => {
    if (event.type !== 'building' || before.loading !== null) return
    const during = transition(transition(before, event), { type: 'staging' })
    const after = transition(during, { type: 'given up' })
    if (shownState(after) !== shownState(before))
      throw new Error(`${shownState(before)} is ${shownState(after)} afterwards`)
  })
  t.end()
})

const causes = fc
  .uniqueArray(fc.constantFrom<Cause>('watched', 'file', 'config', 'user', 'retry', 'capability', 'use'), {
    minLength: 1,
  })
  .map((list) => new Set(list))

t.test('a quarantined version is not loaded again because its files are watched', (t) => {
  fc.assert(
    fc.property(hash, fc.boolean(), causes, (found, hasThread, causes) => {
      let state = transition(initialState(true), { type: 'read', found })
      state = transition(state, { type: 'activated', live: liveOf(found) })
      state = transition(state, hasThread ? { type: 'ended', fault: faultOf('x') } : { type: 'quarantined' })
      const isAsked = [...causes].some((cause) => cause !== 'watched')
      if (isToLoad(state, causes, found) !== isAsked) throw new Error(`asked by ${[...causes].join()}`)
      if (!isToLoad(state, causes, 'an earlier one')) throw new Error('a new version is not loaded')
    }),
    { numRuns: runsOf(400) },
  )
  t.end()
})

t.test('sources that run already are loaded again if a person, a setting or another plugin asks for it', (t) => {
  fc.assert(
    fc.property(hash, causes, fc.boolean(), (found, causes, isDormant) => {
      const state = isDormant
        ? transition(initialState(true), { type: 'noted', dormant: dormantOf(found) })
        : transition(transition(initialState(true), { type: 'read', found }), {
            type: 'activated',
            live: liveOf(found),
          })
      const isAsked = [...causes].some((cause) => !['watched', 'file', 'use'].includes(cause))
      return isToLoad(state, causes, 'an earlier one') === (isAsked || (isDormant && causes.has('use')))
    }),
    { numRuns: runsOf(400) },
  )
  t.end()
})

/** Saves, uses and failures in any order, while loads of one plugin run one after the other as in load/loading.ts. */
t.test('the newest edit wins: it runs, or its failure is shown', (t) => {
  type Step = 'save' | 'save a broken one' | 'watch' | 'use' | 'go on' | 'switch off' | 'switch on' | 'fault'
  const steps = fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constant<Step>('go on') },
      fc.constantFrom<Step>('save', 'save a broken one', 'watch', 'use', 'switch off', 'switch on', 'fault'),
    ),
    { maxLength: 60 },
  )
  const ended = { active: 0, failed: 0, disabled: 0, quarantined: 0 }
  fc.assert(
    fc.property(fc.boolean(), steps, (isNoted, steps) => {
      let folder = 'ok 0'
      let version = 0
      let isOn = true
      let state = initialState(true)
      let queued = new Set<Cause>()
      let load: { causes: Set<Cause>; before: string | null; found: string | null } | null = null
      const change = (event: SlotEvent) => {
        state = transition(state, event)
      }
      const ask = (cause: Cause) => queued.add(cause)
      /** The next step of the load, or the next load. */
      const goOn = () => {
        if (load === null) {
          if (queued.size === 0) return false
          load = { causes: queued, before: state.found, found: null }
          queued = new Set()
          if (!isOn) load = null
          else change({ type: 'building', isUsed: load.causes.has('use') })
          return true
        }
        const { causes, before, found } = load
        if (found === null) {
          load.found = folder
          change({ type: 'read', found: folder })
          if (isToLoad(state, causes, before)) {
            change({ type: 'staging' })
            return true
          }
          if (isNewest(state)) change({ type: 'mended' })
          change({ type: 'given up' })
        } else if (found.startsWith('ok')) {
          change(isSwitchedOff(state) ? { type: 'given up' } : { type: 'activated', live: liveOf(found) })
        } else change({ type: 'failed', fault: faultOf(found), rival: null })
        load = null
        return true
      }
      if (isNoted) change({ type: 'noted', dormant: dormantOf(folder) })
      else ask('user')
      for (const step of steps) {
        if (step === 'go on') goOn()
        else if (step === 'use') state.dormant !== null && ask('use')
        else if (step === 'watch') ask('watched')
        else if (step === 'fault') state.live !== null && change({ type: 'quarantined' })
        else if (step === 'switch off') {
          isOn = false
          change({ type: 'disabled' })
        } else if (step === 'switch on') {
          isOn = true
          ask('user')
        } else {
          version += 1
          folder = step === 'save' ? `ok ${version}` : `broken ${version}`
          ask('file')
        }
      }
      while (goOn());
      const shown = shownState(state)
      const facts = JSON.stringify({ shown, folder, state })
      if (shown in ended) ended[shown as keyof typeof ended] += 1
      if (!isOn) return shown === 'disabled' || fail(facts)
      if (shown === 'quarantined') return state.found === folder || fail(facts)
      if (folder.startsWith('broken')) return state.failedLoad?.fault.message === folder || fail(facts)
      return (isNewest(state) && state.found === folder && state.failedLoad === null) || fail(facts)
    }),
    { numRuns: runsOf(4_000) },
  )
  for (const [shown, count] of Object.entries(ended)) t.ok(count > 0, `${count} ended ${shown}`)
  t.end()
})

function fail(facts: string): never {
  throw new Error(facts)
}
