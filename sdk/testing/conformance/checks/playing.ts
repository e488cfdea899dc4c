// Checks of playback sessions: the person's own, complete, and an error instead of an empty list.
import { DEFAULT_PROFILE } from '../../../provider/profiles/profile-ids.ts'
import type { PlaySession } from '../../../provider/playback/playback.ts'
import type { Bench, Check, Played, Subject } from '../contract.ts'
import { hasCode, isSameItem, must, mustNotAnswer, mustSaySignedOut, textOf, thrownBy } from './support.ts'

const group = 'playing'

const tells = ({ description, can }: Subject): true | string =>
  description.playback?.watch === undefined
    ? 'it does not tell what is playing'
    : can.play || 'its stand-in plays nothing'

async function playingOf({ provider }: Bench, instance = DEFAULT_PROFILE): Promise<readonly PlaySession[]> {
  must(provider.playing !== undefined, 'it says that it tells what is playing, and has nothing that does')
  return (await provider.playing(instance)).filter(({ account }) => account.relation === 'own')
}

async function begun({ simulator }: Bench, person: 0 | 1): Promise<Played> {
  const played = await simulator.play?.(person)
  must(played !== undefined, 'its stand-in plays nothing')
  return played
}

export const playing: readonly Check[] = [
  {
    id: 'playing.own',
    group,
    title: 'it reports what the person plays, and never as theirs what another person plays',
    points: 3,
    applies: tells,
    async run(subject) {
      await using bench = await subject.open()
      const other = await bench.addProfile(1)
      const theirs = await begun(bench, 1)
      must((await playingOf(bench)).length === 0, 'what another person plays is told')
      const { item, positionMs } = await begun(bench, 0)
      const [session, ...more] = await playingOf(bench)
      must(session !== undefined, 'what the person plays is not told')
      must(more.length === 0, `${more.length + 1} sessions are told of one`)
      must(
        isSameItem(session.item, item),
        `${JSON.stringify(item.ids)} plays, and ${JSON.stringify(session.item.ids)} is told`,
      )
      must(session.state === 'playing', `the state is ${session.state}`)
      must(session.positionMs === positionMs, `the position is ${session.positionMs}, not ${positionMs}`)
      // Some services restrict this to owners.
      const refused = await thrownBy(async () => {
        const found = await playingOf(bench, other)
        must(
          found.length === 1 && isSameItem((found[0] as PlaySession).item, theirs.item),
          'the other person hears of something else',
        )
      })
      must(refused === undefined || hasCode(refused, 'PLH_UNSUPPORTED'), `the other profile: ${textOf(refused)}`)
      return undefined
    },
  },
  {
    id: 'playing.over',
    group,
    title: 'ended sessions are no longer reported',
    points: 2,
    applies: tells,
    async run(subject) {
      await using bench = await subject.open()
      must((await playingOf(bench)).length === 0, 'something plays before anybody began')
      const { stop } = await begun(bench, 0)
      must((await playingOf(bench)).length > 0, 'what the person plays is not told')
      await stop()
      must((await playingOf(bench)).length === 0, 'it plays on')
      return undefined
    },
  },
  {
    id: 'playing.failing',
    group,
    title: 'a failing service is never reported as one where nothing plays',
    points: 3,
    applies: tells,
    async run(subject) {
      await mustNotAnswer(
        subject,
        async (bench) => {
          await playingOf(bench)
          await begun(bench, 0)
        },
        playingOf,
      )
      return undefined
    },
  },
  {
    id: 'playing.unconfigured',
    group,
    title: 'without a sign-in it says so, and does not say that nothing plays',
    applies: tells,
    async run(subject) {
      await mustSaySignedOut(subject, playingOf)
      return undefined
    },
  },
]
