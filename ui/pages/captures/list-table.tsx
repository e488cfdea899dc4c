// The table of captures; two captures of one account can be compared.
import { ActionIcon, Button, Group, Menu, Text, Tooltip } from '@mantine/core'
import { useCallbackRef, useMediaQuery } from '@mantine/hooks'
import { IconArrowsDiff, IconDots, IconRestore, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import type { Endless } from '../../api/endless.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { bytesText } from '../../parts/values/bytes.ts'
import { useNames } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { captures } from '../../texts/en/captures.ts'
import { say } from '../../texts/say.ts'
import {
  compareAddress,
  nameOf,
  restoreAddress,
  stateOf,
  triggerName,
  viewAddress,
  whatOf,
  type Capture,
} from './capture.ts'

const { list: texts } = captures
/** Between a phone, which shows cards, and a wide screen. */
const NARROW = '(min-width: 48em) and (max-width: 96em)'
const ROOMY: readonly string[] = ['what', 'size', 'by']
const HEIGHT = 'max(22rem, calc(100dvh - 19rem))'

interface CaptureTableProps {
  readonly rows: readonly Capture[]
  readonly total: number
  readonly endless: Endless
}

export function CaptureTable({ rows, total, endless }: CaptureTableProps) {
  const [, navigate] = useLocation()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const remove = useRemove(() => setSelected(new Set()))
  const { account } = useNames()
  const isNarrow = useMediaQuery(NARROW, window.matchMedia(NARROW).matches)
  const columns = useMemo(
    () => columnsOf(account, (one) => void remove([one])).filter(({ id }) => !isNarrow || !ROOMY.includes(id)),
    [account, remove, isNarrow],
  )
  const chosen = rows.filter(({ path }) => selected.has(path))
  return (
    <>
      {chosen.length === 0 ? null : (
        <Selection chosen={chosen} onRemove={() => void remove(chosen)} onClear={() => setSelected(new Set())} />
      )}
      <DataTable
        label={texts.label}
        columns={columns}
        rows={rows}
        rowKey={({ path }) => path}
        total={total}
        height={HEIGHT}
        selected={selected}
        onSelect={setSelected}
        onOpen={({ path }) => navigate(viewAddress(path))}
        endless={endless}
      />
    </>
  )
}

type Removable = Pick<Capture, 'path' | 'label' | 'feature' | 'created_at'>

/** Asks, deletes one capture after the other, and lists those that could not be deleted. */
export function useRemove(onDone: () => void): (chosen: readonly Removable[]) => Promise<void> {
  const client = useQueryClient()
  return useCallbackRef(async (chosen: readonly Removable[]) => {
    const { title, text, done } = captures.remove
    const n = chosen.length
    if (!(await confirm({ title: say(title, { n }), text, touches: chosen.map(nameOf), action: texts.remove }))) return
    try {
      for (const { path } of chosen) {
        const { result } = await api('POST /api/snapshots/delete', { body: { path } })
        if (!result.ok) throw new Error(result.errors.map(({ error }) => error).join(', '))
      }
      notifyDone(say(done, { n }))
      onDone()
    } catch (error) {
      notifyFailure(error)
    } finally {
      await client.invalidateQueries({ queryKey: ['captures'] })
    }
  })
}

function Selection({
  chosen,
  onRemove,
  onClear,
}: {
  readonly chosen: readonly Capture[]
  readonly onRemove: () => void
  readonly onClear: () => void
}) {
  const pair = pairOf(chosen)
  const compare = (
    <Button
      size="xs"
      leftSection={<IconArrowsDiff size={14} aria-hidden />}
      {...(pair === null ? { disabled: true } : { component: Link, href: compareAddress(pair[0].path, pair[1].path) })}
    >
      {texts.compare}
    </Button>
  )
  return (
    <Group gap="xs" role="toolbar" aria-label={say(texts.selected, { n: chosen.length })}>
      <Text size="sm" fw={600}>
        {say(texts.selected, { n: chosen.length })}
      </Text>
      {pair === null ? <Tooltip label={texts.compareText}>{<span>{compare}</span>}</Tooltip> : compare}
      <Button size="xs" variant="default" leftSection={<IconTrash size={14} aria-hidden />} onClick={onRemove}>
        {texts.removeMany}
      </Button>
      <Button size="xs" variant="subtle" onClick={onClear}>
        {texts.clear}
      </Button>
    </Group>
  )
}

/** The two captures, earlier one first; null if they cannot be compared. */
function pairOf(chosen: readonly Capture[]): readonly [Capture, Capture] | null {
  // The list is newest first, also within one second.
  const [one, other] = chosen.toReversed()
  if (one === undefined || other === undefined || chosen.length !== 2) return null
  const isSame = one.provider === other.provider && one.feature === other.feature
  return isSame && one.valid && other.valid ? [one, other] : null
}

function columnsOf(
  account: (provider: string, instance?: string) => string,
  onRemove: (one: Capture) => void,
): readonly Column<Capture>[] {
  const { columns: names } = texts
  return [
    {
      id: 'name',
      header: names.name,
      width: 'minmax(6rem, 1fr)',
      isTitle: true,
      cell: (one) => {
        const of = account(one.provider, one.instance)
        return (
          <Group gap="xs" wrap="nowrap">
            <ServiceMark provider={one.provider} />
            <div className="grow">
              <Text
                size="sm"
                fw={600}
                truncate
                title={[nameOf(one), of, whatOf(one.feature), triggerName(one.trigger)].join(' · ')}
                dir="auto"
              >
                {nameOf(one)}
              </Text>
            </div>
          </Group>
        )
      },
    },
    {
      id: 'what',
      header: names.what,
      width: '6rem',
      cell: (one) => (
        <Text size="sm" truncate>
          {whatOf(one.feature)}
        </Text>
      ),
    },
    {
      id: 'items',
      isBare: true,
      header: names.items,
      width: '4.5rem',
      cell: ({ count, size }) => (
        <Text size="sm" title={bytesText(size)}>
          {say('{n}', { n: count })}
        </Text>
      ),
    },
    {
      id: 'size',
      isBare: true,
      header: names.size,
      width: '5rem',
      cell: ({ size }) => (
        <Text size="sm" c="dimmed">
          {bytesText(size)}
        </Text>
      ),
    },
    {
      id: 'made',
      header: names.made,
      width: '7.5rem',
      cell: ({ created_at: at, mtime }) => (
        <Text size="sm" component="div" truncate>
          <TimeText at={at === '' ? mtime * 1_000 : at} />
        </Text>
      ),
    },
    {
      id: 'by',
      isBare: true,
      header: names.by,
      width: '6.5rem',
      cell: ({ trigger }) => (
        <Text size="sm" c="dimmed" truncate>
          {triggerName(trigger)}
        </Text>
      ),
    },
    {
      id: 'state',
      header: names.state,
      width: '7.5rem',
      cell: (one) => {
        const { tone, label, text } = stateOf(one)
        return (
          <span title={text}>
            <StatusBadge tone={tone} label={label} />
          </span>
        )
      },
    },
    {
      id: 'menu',
      isControl: true,
      header: '',
      width: '2.25rem',
      cell: (one) => <RowMenu one={one} onRemove={() => onRemove(one)} />,
    },
  ]
}

function RowMenu({ one, onRemove }: { readonly one: Capture; readonly onRemove: () => void }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={say(texts.menu, { name: nameOf(one) })}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} href={viewAddress(one.path)} disabled={!one.valid}>
          {texts.open}
        </Menu.Item>
        <Menu.Item
          component={Link}
          href={restoreAddress(one.path)}
          disabled={!one.valid}
          leftSection={<IconRestore size={16} aria-hidden />}
        >
          {texts.restore}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item c="var(--mantine-color-error)" leftSection={<IconTrash size={16} aria-hidden />} onClick={onRemove}>
          {texts.remove}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
