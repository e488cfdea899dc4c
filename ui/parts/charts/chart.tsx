// A chart, loaded on first use, with a table of its data for screen readers.
import { Skeleton, VisuallyHidden } from '@mantine/core'
import { Suspense } from 'react'
import { parts } from '../../texts/en/parts.ts'
import { say } from '../../texts/say.ts'
import { lazyPart } from '../page/lazy-part.ts'

export interface ChartProps {
  readonly kind: 'area' | 'bar' | 'line'
  readonly label: string
  readonly data: readonly Readonly<Record<string, string | number>>[]
  /** Field of the horizontal axis. */
  readonly x: string
  readonly series: readonly { readonly name: string; readonly label: string; readonly color: string }[]
  readonly height?: number
  readonly stacked?: boolean
}

const Drawing = lazyPart(() => import('./chart-drawing.tsx'))

export function Chart(props: ChartProps) {
  const { label, data, x, series, height = 220 } = props
  return (
    <figure style={{ margin: 0 }} aria-label={label}>
      <div aria-hidden style={{ height }}>
        <Suspense fallback={<Skeleton h={height} />}>
          <Drawing {...props} height={height} />
        </Suspense>
      </div>
      <VisuallyHidden>
        <table>
          <caption>{say(parts.chart.showTable, { label })}</caption>
          <thead>
            <tr>
              <th scope="col">{x}</th>
              {series.map((one) => (
                <th key={one.name} scope="col">
                  {one.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.map((row) => (
              <tr key={String(row[x])}>
                <th scope="row">{row[x]}</th>
                {series.map((one) => (
                  <td key={one.name}>{row[one.name]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  )
}
