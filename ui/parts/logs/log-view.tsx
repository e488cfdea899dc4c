// A virtual list of log lines. It follows the newest line until the user scrolls up.
import { Button } from '@mantine/core'
import { IconArrowDown } from '@tabler/icons-react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { settings } from '../../texts/en/settings.ts'
import type { LogLine } from './log-line.ts'
import { locale } from '../../texts/language.ts'

const LINE_HEIGHT = 22
const AT_END_PX = 40
const times = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })
const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })

export function LogView({
  lines,
  label = settings.logs.label,
}: {
  readonly lines: readonly LogLine[]
  readonly label?: string
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const [follows, setFollows] = useState(true)
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    getItemKey: (index) => lines[index]?.id ?? index,
    overscan: 12,
  })
  const lastId = lines.at(-1)?.id
  const size = virtual.getTotalSize()
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines and taller lines move the end
  useEffect(() => {
    if (follows) scroller.current?.scrollTo({ top: size })
  }, [follows, lastId, size])

  function onScroll() {
    const box = scroller.current
    if (box !== null) setFollows(box.scrollHeight - box.scrollTop - box.clientHeight < AT_END_PX)
  }

  return (
    <div className="log-frame">
      <div
        ref={scroller}
        className="log"
        role="log"
        aria-live="off"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be focusable
        tabIndex={0}
        onScroll={onScroll}
      >
        <div style={{ height: size, position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const { atMs, channel, level, text } = lines[index] as LogLine
            return (
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                data-level={level}
                className="log-line"
                style={{ transform: `translateY(${start}px)` }}
              >
                {Number.isNaN(atMs) ? (
                  <span />
                ) : (
                  <time dateTime={new Date(atMs).toISOString()} title={moments.format(atMs)}>
                    {times.format(atMs)}
                  </time>
                )}
                <span className="log-level">{level}</span>
                <span className="log-channel" title={channel}>
                  {channel}
                </span>
                <span className="log-text">{text}</span>
              </div>
            )
          })}
        </div>
      </div>
      {follows ? null : (
        <Button
          className="log-latest"
          size="xs"
          onClick={() => setFollows(true)}
          leftSection={<IconArrowDown size={14} aria-hidden />}
        >
          {settings.logs.latest}
        </Button>
      )}
    </div>
  )
}
