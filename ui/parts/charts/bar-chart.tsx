// Numbers over time as stacked bars. The numbers are in a tooltip, and in a table for screen readers.
import { Box, Group, Text, VisuallyHidden } from '@mantine/core'
import { useMemo } from 'react'
import { parts } from '../../texts/en/parts.ts'
import { say } from '../../texts/say.ts'
import { locale } from '../../texts/language.ts'

interface Column {
  readonly name: string
  /** Label below the bar, where there is room. */
  readonly mark: string
  readonly values: readonly number[]
}

interface BarChartProps {
  readonly label: string
  /** The unit of the columns: days, months. */
  readonly columnLabel: string
  readonly columns: readonly Column[]
  /** In the order of the values, bottom first. */
  readonly series: readonly { readonly label: string; readonly color: string }[]
  readonly height?: number
}

const NUMBERS = new Intl.NumberFormat(locale)
const MIN_SHARE = 0.03
const MOST_COLUMNS = 100
const MOST_MARKS = 6
const DAY = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short' })
const SHORT_DAY = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })

/** @param at epoch milliseconds */
export function dayColumn(at: number, values: readonly number[]): Column {
  return { name: DAY.format(at), mark: SHORT_DAY.format(at), values }
}

export function BarChart({ label, columnLabel, columns: all, series, height = 180 }: BarChartProps) {
  const columns = useMemo(() => together(all), [all])
  const most = Math.max(1, ...columns.map(({ values }) => values.reduce((sum, value) => sum + value, 0)))
  const step = Math.ceil(columns.length / MOST_MARKS)
  return (
    <figure style={{ margin: 0 }} aria-label={label}>
      <Group gap="md" mb="xs" aria-hidden>
        {series.length < 2
          ? null
          : series.map((one) => (
              <Group key={one.label} gap="xs">
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
      <div className="bar-chart" aria-hidden style={{ height }}>
        {columns.map(({ name, values }) => (
          <div
            key={name}
            className="bar-chart-column"
            title={[name, ...series.map((one, index) => `${one.label}: ${NUMBERS.format(values[index] ?? 0)}`)].join(
              '\n',
            )}
          >
            {values.map((value, index) =>
              value === 0 ? null : (
                <Box
                  key={series[index]?.label}
                  className="bar-chart-part"
                  bg={series[index]?.color ?? 'gray'}
                  h={`${Math.max(value / most, MIN_SHARE) * 100}%`}
                />
              ),
            )}
          </div>
        ))}
      </div>
      <div className="bar-chart-marks" aria-hidden>
        {columns.map(({ name, mark }, index) => (
          <Text key={name} size="xs" c="dimmed">
            {index % step === 0 && index + Math.floor(step / 2) < columns.length ? mark : null}
          </Text>
        ))}
      </div>
      <VisuallyHidden>
        <table>
          <caption>{say(parts.chart.showTable, { label })}</caption>
          <thead>
            <tr>
              <th scope="col">{columnLabel}</th>
              {series.map((one) => (
                <th key={one.label} scope="col">
                  {one.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {columns.map(({ name, values }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
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

/** Merges neighbours if there are too many columns to show. */
function together(columns: readonly Column[]): readonly Column[] {
  const size = Math.ceil(columns.length / MOST_COLUMNS)
  if (size < 2) return columns
  return Array.from({ length: Math.ceil(columns.length / size) }, (_, index) => {
    const some = columns.slice(index * size, (index + 1) * size)
    const [first, last] = [some[0]!, some.at(-1)!]
    return {
      name: first === last ? first.name : `${first.name} – ${last.name}`,
      mark: first.mark,
      values: first.values.map((_value, place) => some.reduce((sum, { values }) => sum + (values[place] ?? 0), 0)),
    }
  })
}
