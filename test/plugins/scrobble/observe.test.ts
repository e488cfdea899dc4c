// The state machine: the meaning of reports in this order, at these times.
import t from 'tap'
import { abandon, settle } from '../../../plugins/services/scrobble/decide/observe.ts'
import { createScript, MINUTE_MS, short, THRESHOLDS } from './support.ts'

type Report = 'marked' | 'play' | 'pause' | 'stop' | 'done' | 'playing' | 'paused' | 'buffering' | 'gone'
/** Seconds since the last report, the report, the percentage, and the expected result. */
type Line = readonly [seconds: number, report: Report, percent: number | null, expected: string]

const STATES = {
  play: { kind: 'event', state: 'playing' },
  pause: { kind: 'event', state: 'paused' },
  stop: { kind: 'event', state: 'stopped' },
  done: { kind: 'event', state: 'playing', completed: true },
  playing: { kind: 'level', state: 'playing' },
  marked: { kind: 'level', state: 'playing', completed: true },
  paused: { kind: 'level', state: 'paused' },
  buffering: { kind: 'level', state: 'buffering' },
  gone: { kind: 'level', state: 'stopped', synthetic: true },
} as const

const SCRIPTS: Readonly<Record<string, readonly Line[]>> = {
  'a film from start to end': [
    [0, 'play', 0, 'start 0'],
    [5_400, 'stop', 97, 'watched 97'],
  ],
  'a pause is repeated: at once, within the debounce time, and after it': [
    [0, 'pause', 35, 'pause 35'],
    [0.5, 'pause', 35, 'dedup:duplicate_event'],
    [2.5, 'pause', 35, 'debounced:pause_debounce'],
    [3, 'pause', 35, 'pause 35'],
  ],
  'the service counts it as watched while it plays on': [
    [0, 'play', 40, 'start 40'],
    [3_000, 'done', null, 'watched 95'],
    [300, 'stop', 97, 'suppressed:duplicate_finish'],
    [900, 'stop', 99, 'suppressed:duplicate_finish'],
  ],
  'a stop at the end as the first report': [[0, 'stop', 97, 'watched 97']],
  'a stop in the middle as the first report': [[0, 'stop', 40, 'stop 40']],
  'the service says at the stop that it was played to its end': [
    [0, 'play', 10, 'start 10'],
    [60, 'done', 100, 'watched 100'],
  ],
  'progress reports: paused, resumed, unchanged, a seek': [
    [0, 'paused', 40, 'pause 40'],
    [10, 'playing', 40.04, 'start 40.04'],
    [10, 'playing', 40.2, 'ignored:unchanged'],
    [10, 'playing', 70, 'start (seek) 70'],
  ],
  'an instant stop': [
    [0, 'play', 0.01, 'start 0.01'],
    [1, 'stop', 12, 'suppressed:instant_stop'],
  ],
  'an abort right after the start': [
    [0, 'play', 0, 'start 0'],
    [1, 'stop', 0.1, 'stop 0.1'],
  ],
  'a start in the credits': [[0, 'play', 99.5, 'suppressed:late_start']],
  'a player that reports the end when it is aborted': [
    [0, 'play', 10, 'start 10'],
    [30, 'stop', 100, 'pause 10'],
  ],
  'a stop is reported twice': [
    [0, 'play', 20, 'start 20'],
    [60, 'stop', 21, 'stop 21'],
    [30, 'stop', 21, 'suppressed:duplicate_stop'],
  ],
  'a rewatch of the same item on the same device': [
    [0, 'play', 0, 'start 0'],
    [5_700, 'stop', 96, 'watched 96'],
    [60, 'play', 0, 'start 0'],
    [5_700, 'stop', 96, 'watched 96'],
  ],
  'a restart after the service counted it, without a stop': [
    [0, 'playing', 0, 'start 0'],
    [5_460, 'done', 91, 'watched 95'],
    [10, 'playing', 0.5, 'start 0.5'],
    [600, 'playing', 10, 'start 10'],
  ],
  'a seek to the end that nothing confirms': [
    [0, 'playing', 10, 'start 10'],
    [60, 'playing', 11, 'ignored:unchanged'],
    [5, 'playing', 96, 'start (seek) 96'],
    [1, 'gone', 11, 'stop 11'],
  ],
  'credits skipped: a seek near the end, and it plays on there': [
    [0, 'playing', 0, 'start 0'],
    [5_000, 'playing', 82, 'start 82'],
    [10, 'playing', 93, 'start (seek) 93'],
    [60, 'playing', 94, 'ignored:unchanged'],
    [30, 'gone', 94.5, 'watched 94.5'],
  ],
  'marked as watched in the first half, by hand or by a sync': [
    [0, 'playing', 10, 'start 10'],
    [60, 'marked', 11, 'ignored:unchanged'],
    [60, 'gone', 12, 'stop 12'],
  ],
  'marked as watched in the second half': [
    [0, 'playing', 60, 'start 60'],
    [1_500, 'marked', 85, 'watched 95'],
    [10, 'gone', 85, 'suppressed:duplicate_finish'],
  ],
  'rewound after the end was reached, then stopped': [
    [0, 'playing', 80, 'start 80'],
    [900, 'playing', 94, 'start 94'],
    [10, 'playing', 50, 'start 50'],
    [60, 'gone', 51, 'watched 94'],
  ],
  'buffering begins something, and is nothing in between': [
    [0, 'buffering', 3, 'start 3'],
    [5, 'playing', 3.05, 'ignored:unchanged'],
    [5, 'buffering', 3.05, 'ignored:unchanged'],
  ],
  'a paused film is resumed the next day and watched to its end': [
    [0, 'play', 0, 'start 0'],
    [3_000, 'pause', 50, 'pause 50'],
    [70_000, 'play', 50, 'start 50'],
    [2_900, 'stop', 98, 'watched 98'],
  ],
  'backward jitter within two seconds is no rewind': [
    [0, 'playing', 50, 'start 50'],
    [1, 'paused', 40, 'pause 50'],
  ],
  'a player that reports the end when it is aborted, told three times by two sources': [
    [0, 'play', 10, 'start 10'],
    [0.2, 'playing', 10, 'ignored:unchanged'],
    [30, 'stop', 100, 'pause 10'],
    [0.3, 'stop', 100, 'dedup:duplicate_event'],
    [0.2, 'gone', 100, 'suppressed:duplicate_stop'],
    [4, 'stop', 100, 'suppressed:duplicate_stop'],
  ],
  'a seek that no webhook tells, and a stop in the credits': [
    [0, 'play', 0, 'start 0'],
    [1_500, 'stop', 93, 'watched 93'],
  ],
  'the rest of a film that counted days ago: its credits, and then most of it again': [
    [0, 'play', 0, 'start 0'],
    [5_500, 'stop', 92, 'watched 92'],
    [260_000, 'play', 93, 'suppressed:duplicate_finish'],
    [60, 'stop', 94, 'suppressed:duplicate_finish'],
    [260_000, 'play', 40, 'start 40'],
    [3_300, 'stop', 95, 'watched 95'],
  ],
  'the beginning is reported by a pause': [
    [0, 'play', 0, 'start 0'],
    [5_700, 'stop', 96, 'watched 96'],
    [60, 'paused', 0, 'ignored:unchanged'],
    [5, 'playing', 0, 'start 0'],
    [5_700, 'gone', 96, 'watched 96'],
  ],
  'a webhook that was kept for an hour says nothing about now': [
    [0, 'playing', 0, 'start 0'],
    [3_600, 'playing', 60, 'start 60'],
    [-3_000, 'pause', 10, 'ignored:outdated'],
    [10, 'stop', 10, 'ignored:outdated'],
    [3_050, 'playing', 61, 'ignored:unchanged'],
    [2_000, 'gone', 93, 'watched 93'],
  ],
  'a kept mark belongs to the viewing before': [
    [0, 'playing', 0, 'start 0'],
    [5_700, 'gone', 96, 'watched 96'],
    [60, 'playing', 0, 'start 0'],
    [600, 'playing', 10, 'start 10'],
    [-1_000, 'done', null, 'suppressed:duplicate_finish'],
    [6_000, 'gone', 95, 'watched 95'],
  ],
  'a pause comes again after the start that followed it': [
    [0, 'play', 0, 'start 0'],
    [10, 'pause', 0, 'pause 0'],
    [2, 'play', 72, 'start 72'],
    [20, 'pause', 0, 'dedup:duplicate_event'],
    [1_660, 'stop', 100, 'watched 100'],
  ],
  'a start comes again after a seek': [
    [0, 'play', 29, 'start 29'],
    [10, 'play', 60, 'start (seek) 60'],
    [300, 'play', 29, 'dedup:duplicate_event'],
    [2_100, 'stop', 100, 'watched 100'],
  ],
  'the stop of a viewing comes again while the film is watched again': [
    [0, 'play', 0, 'start 0'],
    [5_700, 'stop', 96, 'watched 96'],
    [60, 'play', 0, 'start 0'],
    [120, 'stop', 96, 'dedup:duplicate_event'],
    [5_580, 'stop', 96, 'watched 96'],
  ],
  'a kept stop at the same position is of another viewing': [
    [0, 'play', 0, 'start 0'],
    [5_700, 'stop', 100, 'watched 100'],
    [60, 'play', 0, 'start 0'],
    [-16_560, 'stop', 100, 'watched 100'],
  ],
  'a kept stop of a player that always reports the end, when more was watched since': [
    [0, 'play', 0, 'start 0'],
    [61, 'playing', 1, 'ignored:unchanged'],
    [600, 'play', 10, 'start 10'],
    [4_200, 'playing', 80, 'start 80'],
    [-4_780, 'stop', 100, 'ignored:outdated'],
  ],
  'a mark comes again while the film is watched again': [
    [0, 'play', 0, 'start 0'],
    [5_400, 'done', null, 'watched 95'],
    [60, 'stop', 91, 'suppressed:duplicate_finish'],
    [60, 'play', 0, 'start 0'],
    [120, 'done', null, 'dedup:duplicate_event'],
    [5_580, 'stop', 96, 'watched 96'],
  ],
  'a start at the same position after a stop is another one': [
    [0, 'play', 0, 'start 0'],
    [60, 'stop', 1, 'stop 1'],
    [60, 'play', 0, 'start 0'],
    [5_700, 'stop', 95, 'watched 95'],
  ],
  'a player that always reports the end reaches it at last': [
    [0, 'play', 70, 'start 70'],
    [300, 'stop', 100, 'pause 70'],
    [10, 'play', 75, 'start 75'],
    [5, 'stop', 100, 'pause 75'],
    [300, 'pause', 80, 'pause 80'],
    [10, 'play', 80, 'start 80'],
    [1_200, 'stop', 100, 'watched 100'],
  ],
  'a player that reports the beginning when it ends': [
    [0, 'playing', 90, 'start 90'],
    [480, 'playing', 98, 'start 98'],
    [5, 'gone', 0, 'watched 98'],
  ],
}

for (const [title, lines] of Object.entries(SCRIPTS)) {
  t.test(title, async (t) => {
    const script = createScript()
    for (const [n, [seconds, report, percent, expected]] of lines.entries()) {
      const verdict = script.next(seconds * 1_000, {
        ...STATES[report],
        ...(percent === null ? {} : script.at(percent)),
      })
      t.equal(short(verdict), expected, `${n + 1}: ${report}`)
    }
  })
}

t.test('a pause within the debounce time is sent when the time has passed, unless playback resumes', async (t) => {
  const script = createScript()
  script.next(0, { ...STATES.play, ...script.at(20) })
  script.next(2_000, { ...STATES.pause, ...script.at(20) })
  script.next(1_000, { ...STATES.play, ...script.at(20) })
  const { outcome, viewing } = script.next(1_500, { ...STATES.pause, ...script.at(20.02) })
  t.equal(outcome, 'debounced')
  const dueAtMs = viewing.pauseDueAtMs ?? 0
  t.ok(dueAtMs > viewing.lastAtMs)
  t.equal(settle(viewing, dueAtMs - 1), undefined)
  t.match(settle(viewing, dueAtMs), { emission: { action: 'pause', percent: 20.02 } })
  const on = script.next(1_000, { ...STATES.play, ...script.at(20.02) })
  t.equal(settle(on.viewing, dueAtMs + MINUTE_MS), undefined)
})

t.test('a play without a reported end is closed by the next fresh start', async (t) => {
  const script = createScript()
  script.next(0, { ...STATES.playing, ...script.at(0) })
  script.next(93 * MINUTE_MS, { ...STATES.playing, ...script.at(93) })
  const verdict = script.next(10 * MINUTE_MS, { ...STATES.play, ...script.at(0) })
  t.match(verdict.closing, { action: 'stop', completed: true, percent: 93 })
  t.match(verdict.emission, { action: 'start', percent: 0 })
})

t.test('a start shortly after a stop can be treated as autoplay', async (t) => {
  const script = createScript({ ...THRESHOLDS, guardAutoplayMs: 10_000, startGuardMinProgress: 2 })
  script.next(0, { ...STATES.play, ...script.at(20) })
  script.next(60_000, { ...STATES.stop, ...script.at(21) })
  t.equal(short(script.next(5_000, { ...STATES.play, ...script.at(0) })), 'suppressed:autoplay_guard')
  t.match(script.next(120_000, { ...STATES.playing, ...script.at(2) }), { emission: { action: 'start' } })
})

t.test(
  'a viewing that disappeared is a separate play, although the film was watched again before that is detected',
  async (t) => {
    const vanished = createScript()
    vanished.next(0, { ...STATES.playing, ...vanished.at(0) })
    const { viewing } = vanished.next(97 * MINUTE_MS, { ...STATES.playing, ...vanished.at(97) })
    const again = { startedAtMs: viewing.lastAtMs + 60 * MINUTE_MS, endedAtMs: viewing.lastAtMs + 160 * MINUTE_MS }
    t.match(abandon(viewing, THRESHOLDS, [{ ...again, whole: true }]), { emission: { completed: true } })
    t.match(
      abandon(viewing, THRESHOLDS, [{ ...again, whole: false }]),
      { reason: 'duplicate_finish' },
      'its rest elsewhere',
    )
    t.match(abandon(viewing, THRESHOLDS, []), { emission: { completed: true, atMs: viewing.lastAtMs } })
  },
)

t.test(
  'a film paused at its beginning starts when it is played, although its pause is reported all the time',
  async (t) => {
    const script = createScript()
    script.next(0, { ...STATES.playing, ...script.at(0) })
    script.next(1_000, { ...STATES.paused, ...script.at(0.5) })
    for (let n = 0; n < 24; n += 1) script.next(5 * MINUTE_MS, { ...STATES.paused, ...script.at(0.5) })
    const { viewing } = script.next(1_000, { ...STATES.playing, ...script.at(0.5) })
    t.equal(viewing.startedAtMs, viewing.lastAtMs)
    t.equal(viewing.fresh, true)
  },
)

t.test('a start without a position is no beginning', async (t) => {
  const script = createScript()
  const { viewing: first } = script.next(0, STATES.play)
  script.next(50 * MINUTE_MS, STATES.pause)
  const { viewing } = script.next(30 * MINUTE_MS, STATES.play)
  t.equal(viewing.startedAtMs, first.startedAtMs)
})

t.test('a five-minute cartoon that is watched repeatedly: each end is an end', async (t) => {
  const script = createScript()
  const durationMs = 5 * MINUTE_MS
  for (const ending of [STATES.stop, { ...STATES.stop, completed: true }] as const)
    for (let time = 0; time < 4; time += 1) {
      script.next(10_000, { ...STATES.play, durationMs, positionMs: 0 })
      const { emission } = script.next(durationMs, { ...ending, durationMs, positionMs: durationMs })
      t.match(emission, { completed: true })
    }
  for (let time = 0; time < 4; time += 1) {
    script.next(10_000, { ...STATES.play, durationMs, positionMs: 0 })
    t.match(script.next(0.92 * durationMs, { ...STATES.done, durationMs }), { emission: { completed: true } })
    script.next(0.08 * durationMs, { ...STATES.stop, durationMs, positionMs: durationMs })
  }
})
