// The watcher log: the last lines of its channels, and new ones live.
import { Anchor, Stack, Text } from '@mantine/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'wouter'
import { nowAtServiceMs } from '../../api/clock.ts'
import { useRead } from '../../api/query.ts'
import { useEventStream } from '../../api/stream.ts'
import type { Level, LogLine } from '../../parts/logs/log-line.ts'
import { LogView } from '../../parts/logs/log-view.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { scrobbling } from '../../texts/en/scrobbling.ts'

const { log: texts } = scrobbling
const TAIL = 200
const KEPT = 1_000
const FLUSH_MS = 200
const ADDRESS = '/api/logs/watcher?plain=true&skip_backlog=true'
/** Channel lines start with their level, except info, and have no time. */
const FORM = /^(?:(TRACE|DEBUG|WARN|ERROR|FATAL) )?([\s\S]*)$/
const LEVELS: Readonly<Record<string, Level>> = { WARN: 'warn', ERROR: 'error', FATAL: 'error' }

export function WatcherLog() {
  const query = useRead(
    ['scrobbling', 'log'],
    'GET /api/watch/logs',
    { query: { tail: TAIL } },
    { staleTime: Number.POSITIVE_INFINITY },
  )
  return (
    <Stack gap="xs">
      <QueryView query={query} rows={3}>
        {({ tags, lines }) => <Lines tags={tags} before={lines} readAgain={() => void query.refetch()} />}
      </QueryView>
      <Anchor component={Link} href="/settings/logs" size="sm" underline="always" style={{ alignSelf: 'flex-start' }}>
        {texts.all}
      </Anchor>
    </Stack>
  )
}

function Lines({
  tags,
  before,
  readAgain,
}: {
  readonly tags: readonly string[]
  readonly before: readonly string[]
  readonly readAgain: () => void
}) {
  const incoming = useRef<LogLine[]>([])
  const nextId = useRef(TAIL)
  const [live, setLive] = useState<readonly LogLine[]>([])
  const handlers = Object.fromEntries(
    tags.map((tag) => [
      tag,
      ({ text }: { readonly text: string }) =>
        void incoming.current.push(...parsed(nextId.current++, tag, text, nowAtServiceMs())),
    ]),
  )
  const state = useEventStream(tags.length === 0 ? null : ADDRESS, handlers)
  // Load the lines that were written before the stream opened.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each connection
  useEffect(() => {
    if (state === 'open') readAgain()
  }, [state])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new answer contains them
  useEffect(() => {
    incoming.current = []
    setLive([])
  }, [before])
  useEffect(() => {
    const timer = setInterval(() => {
      if (incoming.current.length === 0) return
      const fresh = incoming.current
      incoming.current = []
      setLive((now) => [...now, ...fresh].slice(-KEPT))
    }, FLUSH_MS)
    return () => clearInterval(timer)
  }, [])
  const first = useMemo(() => before.flatMap((line, index) => parsed(index, '', line, Number.NaN)), [before])
  const lines = [...first, ...live]
  return lines.length === 0 ? <Text c="dimmed">{texts.none}</Text> : <LogView lines={lines} label={texts.label} />
}

/** Returns an empty list for debug lines. */
function parsed(id: number, channel: string, line: string, atMs: number): readonly LogLine[] {
  const [, level = '', text = line] = FORM.exec(line) ?? []
  if (level === 'DEBUG' || level === 'TRACE') return []
  return [{ id, atMs, channel, level: LEVELS[level] ?? 'info', text }]
}
