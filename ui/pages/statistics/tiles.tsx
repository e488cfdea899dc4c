// The key figures.
import { Paper, SimpleGrid, Text } from '@mantine/core'
import { statistics as texts } from '../../texts/en/statistics.ts'
import { say } from '../../texts/say.ts'
import { dayName, timeText } from './names.ts'
import type { Statistics } from './data.ts'

export function Tiles({ data: { totals, streaks } }: { readonly data: Statistics }) {
  const number = (n: number) => say('{n}', { n })
  const streak = (one: Statistics['streaks']['longest']) =>
    one === null
      ? { value: texts.noStreak, text: '' }
      : {
          value: say(texts.streak, { n: one.days }),
          text: say(texts.range, { from: dayName(one.from), to: dayName(one.to) }),
        }
  const tiles = [
    { name: texts.totals.plays, value: number(totals.plays), text: '' },
    { name: texts.totals.time, value: timeText(totals.minutes), text: '' },
    { name: texts.totals.movies, value: number(totals.movies), text: '' },
    { name: texts.totals.episodes, value: number(totals.episodes), text: '' },
    { name: texts.totals.days, value: number(totals.days), text: '' },
    { name: texts.totals.rewatches, value: number(totals.rewatches), text: '' },
    { name: texts.totals.longest, ...streak(streaks.longest) },
    { name: texts.totals.current, ...streak(streaks.current) },
  ]
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm" component="dl" m={0}>
      {tiles.map(({ name, value, text }) => (
        <Paper key={name} withBorder p="md" className="number-tile">
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" m={0} fz="h2" fw={700} lh={1.2}>
            {value}
            {text === '' ? null : (
              <Text span display="block" size="xs" c="dimmed" fw={400}>
                {text}
              </Text>
            )}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  )
}
