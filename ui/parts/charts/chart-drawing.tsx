// The chart library. Large, so it is loaded on first use.
import { AreaChart, BarChart, LineChart } from '@mantine/charts'
import { useReducedMotion } from '@mantine/hooks'
import type { ChartProps } from './chart.tsx'

const KINDS = { area: AreaChart, bar: BarChart, line: LineChart } as const

export default function Drawing({ kind, data, x, series, height, stacked = false }: ChartProps) {
  const isStill = useReducedMotion()
  const Kind = KINDS[kind] as typeof AreaChart
  const own = {
    [`${kind}Props`]: { isAnimationActive: !isStill },
    [`${kind}ChartProps`]: { accessibilityLayer: false },
  }
  return (
    <Kind
      h={height ?? 220}
      data={data as Record<string, string | number>[]}
      dataKey={x}
      series={series.map((one) => ({ ...one }))}
      withLegend={series.length > 1}
      yAxisProps={{ allowDecimals: false }}
      type={stacked ? 'stacked' : 'default'}
      {...own}
    />
  )
}
