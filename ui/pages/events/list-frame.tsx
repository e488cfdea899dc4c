// The frame of an event list: count, new events, loading, error and empty states.
import { Box, Button, Group, Text } from '@mantine/core'
import { IconArrowUp, IconBolt, IconFilterOff } from '@tabler/icons-react'
import { useRef, type ReactNode } from 'react'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { NextStep } from '../../parts/page/next-step.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { events } from '../../texts/en/events.ts'
import { say } from '../../texts/say.ts'
import { NARROWING, STANDARD, type Filters } from './filters.ts'
import type { ListView, useEventList } from './use-list.ts'

interface ListFrameProps {
  readonly view: ListView
  readonly found: ReturnType<typeof useEventList>
  readonly filters: Filters
  readonly onChange: (part: Partial<Filters>) => void
  /** Replaces the count while rows are selected. */
  readonly bar?: ReactNode
  readonly children: ReactNode
}

export function ListFrame({ view, found, filters, onChange, bar, children }: ListFrameProps) {
  const box = useRef<HTMLDivElement>(null)
  const {
    list: { error, isPlaceholderData, retry },
    rows,
    total,
    isCapped,
    fresh,
    isFreshFull,
    takeIn,
  } = found
  if (rows === undefined) return error === null ? <Loading rows={8} /> : <Failure error={error} onRetry={retry} />
  const failure = error === null ? null : <Failure error={error} onRetry={retry} />
  if (rows.length === 0)
    return (
      <>
        {failure}
        <NoRows filters={filters} onChange={onChange} />
      </>
    )
  const number = say(events.found[view], { n: total })
  return (
    <Box
      ref={box}
      tabIndex={-1}
      className="filled"
      style={{ opacity: isPlaceholderData ? 0.6 : 1, outline: 'none' }}
      aria-busy={isPlaceholderData}
    >
      {failure}
      <Group justify="space-between" mb="xs" mih={36} gap="xs">
        {bar ?? (
          <Text size="sm" c="dimmed" role="status">
            {isCapped ? say(events.capped, { n: number }) : number}
          </Text>
        )}
        {fresh === 0 ? null : (
          <Button
            size="xs"
            variant="light"
            leftSection={<IconArrowUp size={14} aria-hidden />}
            onClick={() => {
              takeIn()
              box.current?.focus({ preventScroll: true })
            }}
          >
            {isFreshFull ? events.freshMany : say(events.fresh, { n: fresh })}
          </Button>
        )}
      </Group>
      {children}
    </Box>
  )
}

function NoRows({ filters, onChange }: Pick<ListFrameProps, 'filters' | 'onChange'>) {
  const isNarrowed =
    NARROWING.some((name) => filters[name] !== '') ||
    filters.visibility !== STANDARD.visibility ||
    filters.domain !== STANDARD.domain
  return isNarrowed ? (
    <EmptyState
      icon={IconFilterOff}
      title={events.noneFits}
      text={events.noneFitsText}
      action={
        <Button variant="default" onClick={() => onChange({ ...STANDARD, view: filters.view })}>
          {events.clear}
        </Button>
      }
    />
  ) : (
    <EmptyState icon={IconBolt} title={events.none} text={events.noneText} action={<NextStep />} />
  )
}
