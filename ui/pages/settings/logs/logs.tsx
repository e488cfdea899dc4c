// The live log: filter, search, pause, download.
import { Button, Group, NativeSelect, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useDeferredValue, useMemo, useState } from 'react'
import {
  IconDownload,
  IconEraser,
  IconFilterOff,
  IconPlayerPause,
  IconPlayerPlay,
  IconSearch,
  IconTerminal2,
} from '@tabler/icons-react'
import { saveFile } from '../../../api/download.ts'
import { usePlugins } from '../../../parts/plugins/use-plugins.ts'
import { useNames } from '../../../parts/values/names.ts'
import { serviceText } from '../../../texts/service-text.ts'
import { EmptyState } from '../../../parts/page/empty-state.tsx'
import { StatusBadge, type Tone } from '../../../parts/values/status-badge.tsx'
import { settings } from '../../../texts/en/settings.ts'
import { say } from '../../../texts/say.ts'
import { matchesFilter, writeLine, type Level, type LogLine } from '../../../parts/logs/log-line.ts'
import { useLiveLog } from './use-live-log.ts'
import { LogView } from '../../../parts/logs/log-view.tsx'

const { logs } = settings
const TONES: Readonly<Record<string, Tone>> = { connecting: 'busy', open: 'good', interrupted: 'warn', paused: 'idle' }
const LEVELS = (Object.keys(logs.levels) as Level[]).map((value) => ({ value, label: logs.levels[value] }))
const NO_FILTER = { level: 'debug' as Level, channel: '', search: '' }

/** A channel is a service, a plugin or a part of the core. */
function useChannelNames(): (channel: string) => string {
  const { account, has } = useNames()
  const { data } = usePlugins()
  return useMemo(() => {
    const plugins = new Map((data?.plugins ?? []).map(({ id, name }) => [id.toUpperCase(), serviceText(name)]))
    return (channel) => (has(channel) ? account(channel) : (plugins.get(channel) ?? channel))
  }, [account, has, data])
}

export default function Logs() {
  const { state, lines: received, clear } = useLiveLog()
  const channelName = useChannelNames()
  const lines = useMemo(
    () => received.map((line) => ({ ...line, channel: channelName(line.channel) })),
    [received, channelName],
  )
  const [held, setHeld] = useState<readonly LogLine[] | null>(null)
  const [filter, setFilter] = useState({ ...NO_FILTER, level: 'info' as Level })
  const search = useDeferredValue(filter.search.trim().toLowerCase())
  const all = held ?? lines
  const { level, channel } = filter
  const shown = useMemo(
    () => all.filter((line) => matchesFilter(line, { level, channel, search })),
    [all, level, channel, search],
  )
  const channels = useMemo(
    () => [...new Set(lines.map((line) => line.channel))].filter((name) => name !== '').sort(),
    [lines],
  )
  const waiting = held === null ? 0 : (lines.at(-1)?.id ?? 0) - (held.at(-1)?.id ?? 0)
  const shownState = held === null ? state : 'paused'

  function keep() {
    saveFile(
      new Blob([shown.map(writeLine).join('\n'), '\n'], { type: 'text/plain' }),
      `playhead-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.log`,
    )
  }

  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end" role="search">
        <TextInput
          className="grow-field"
          label={logs.search}
          placeholder={logs.searchHint}
          value={filter.search}
          onChange={(event) => setFilter({ ...filter, search: event.currentTarget.value })}
          leftSection={<IconSearch size={16} aria-hidden />}
          type="search"
        />
        <NativeSelect
          label={logs.level}
          data={LEVELS}
          value={level}
          onChange={(event) => setFilter({ ...filter, level: event.currentTarget.value as Level })}
        />
        <NativeSelect
          label={logs.channel}
          w="12rem"
          data={[{ value: '', label: logs.allChannels }, ...channels]}
          value={channel}
          onChange={(event) => setFilter({ ...filter, channel: event.currentTarget.value })}
        />
      </Group>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <StatusBadge tone={TONES[shownState] as Tone} label={logs.states[shownState]} />
          {/* Not beside a state whose name is about to change. */}
          {shownState === 'connecting' ? null : (
            <Text size="sm" c="dimmed">
              {say(logs.shown, { shown: shown.length, all: all.length })}
            </Text>
          )}
        </Group>
        <Group gap="xs">
          {held === null ? (
            <Button
              size="xs"
              variant="default"
              onClick={() => setHeld(lines)}
              leftSection={<IconPlayerPause size={14} aria-hidden />}
            >
              {logs.pause}
            </Button>
          ) : (
            <Button size="xs" onClick={() => setHeld(null)} leftSection={<IconPlayerPlay size={14} aria-hidden />}>
              {waiting > 0 ? `${logs.resume} (${say(logs.waiting, { n: waiting })})` : logs.resume}
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              clear()
              setHeld(null)
            }}
            leftSection={<IconEraser size={14} aria-hidden />}
          >
            {logs.clear}
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={keep}
            disabled={shown.length === 0}
            leftSection={<IconDownload size={14} aria-hidden />}
          >
            {logs.download}
          </Button>
        </Group>
      </Group>
      {shown.length > 0 ? (
        <LogView lines={shown} />
      ) : state === 'connecting' ? (
        <Paper withBorder className="log" />
      ) : all.length === 0 ? (
        <EmptyState key="none" icon={IconTerminal2} title={logs.none} text={logs.noneText} />
      ) : (
        <EmptyState
          key="noMatch"
          icon={IconFilterOff}
          title={logs.noMatch}
          text={logs.noMatchText}
          action={
            <Button variant="default" onClick={() => setFilter(NO_FILTER)}>
              {logs.reset}
            </Button>
          }
        />
      )}
    </Stack>
  )
}
