// Small stacked bars per day, without the chart library so that they fit in the main chunk. Numbers are in a tooltip
// and in a table for screen readers.
import { Box, Group, Text, VisuallyHidden } from '@mantine/core'
import { parts } from '../../texts/en/parts.ts'
import { say } from '../../texts/say.ts'
import { locale } from '../../texts/language.ts'

export interface DayBarsProps {
  readonly label: string
  readonly dayLabel: string
  readonly days: readonly { readonly at: number; readonly values: readonly number[] }[]
  /** In the order of the values, bottom first. */
  readonly series: readonly { readonly label: string; readonly color: string }[]
  readonly height?: number
}

const DAY = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short' })
const SHORT_DAY = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
const NUMBERS = new Intl.NumberFormat(locale)
const MIN_SHARE = 0.03

export function DayBars({ label, dayLabel, days, series, height = 140 }: DayBarsProps) {
  const most = Math.max(1, ...days.map(({ values }) => values.reduce((sum, value) => sum + value, 0)))
  return (
    <figure style={{ margin: 0 }} aria-label={label}>
      <Group gap="md" mb="xs" aria-hidden>
        {series.map((one) => (
          <Group key={one.label} gap={6}>
            <Box w={10} h={10} bg={one.color} bdrs={3} />
            <Text size="sm" c="dimmed">
              {one.label}
            </Text>
          </Group>
        ))}
        <Text size="sm" c="dimmed" ml="auto">
          {NUMBERS.format(most)}
        </Text>
      </Group>
      <Box
        aria-hidden
        h={height}
        style={{ display: 'flex', alignItems: 'stretch', gap: '2px', borderBlock: '1px solid var(--row-line)' }}
      >
        {days.map(({ at, values }) => (
          <Box
            key={at}
            title={[
              DAY.format(at),
              ...series.map((one, index) => `${one.label}: ${NUMBERS.format(values[index] ?? 0)}`),
            ].join('\n')}
            style={{
              flex: 1,
              minWidth: 0,
              display: 'flex',
              flexDirection: 'column-reverse',
              justifyContent: 'flex-start',
            }}
          >
            {values.map((value, index) =>
              value === 0 ? null : (
                <Box
                  key={series[index]?.label}
                  bg={series[index]?.color ?? 'gray'}
                  h={`${Math.max(value / most, MIN_SHARE) * 100}%`}
                  mah="100%"
                  mx="8%"
                />
              ),
            )}
          </Box>
        ))}
      </Box>
      <Group justify="space-between" aria-hidden mt={4}>
        {[days[0], days[Math.floor(days.length / 2)], days.at(-1)].map((day, index) => (
          <Text key={index === 1 ? 'middle' : day?.at} size="xs" c="dimmed">
            {day === undefined ? '' : SHORT_DAY.format(day.at)}
          </Text>
        ))}
      </Group>
      <VisuallyHidden>
        <table>
          <caption>{say(parts.chart.showTable, { label })}</caption>
          <thead>
            <tr>
              <th scope="col">{dayLabel}</th>
              {series.map((one) => (
                <th key={one.label} scope="col">
                  {one.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map(({ at, values }) => (
              <tr key={at}>
                <th scope="row">{DAY.format(at)}</th>
                {values.map((value, index) => (
                  <td key={series[index]?.label}>{NUMBERS.format(value)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  )
}
