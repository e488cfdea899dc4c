// The steps of every action: preview, confirm, run, result.
import { Alert, Button, Checkbox, Group, Stack, Table, Text } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { bytesText } from '../../parts/values/bytes.ts'
import { maintenance } from '../../texts/en/maintenance.ts'
import { say } from '../../texts/say.ts'

const { dialog: texts } = maintenance
const SHOWN = 50

/** The common response of all actions. */
interface Effect {
  readonly touches: readonly {
    readonly action: string
    readonly path: string
    readonly table?: string | undefined
    readonly label: string
    readonly op: 'delete' | 'change'
    readonly items: number
    readonly bytes?: number | undefined
  }[]
  readonly summary: {
    readonly removed_files: number
    readonly removed_items: number
    readonly changed_items: number
    readonly freed_bytes: number
  }
  readonly backup_path: string | null
  readonly advice: string | null
}

interface Call {
  readonly data: Effect | undefined
  readonly error: Error | null
  readonly isPending: boolean
}

interface StepsProps {
  readonly note: string
  readonly losesData: boolean
  readonly backupFirst: boolean
  readonly look: Call
  readonly run: Call
  readonly onLook: () => void
  readonly onRun: () => void
  readonly onClose: () => void
  readonly options: ReactNode
}

export function Steps({ note, losesData, backupFirst, look, run, onLook, onRun, onClose, options }: StepsProps) {
  const [isSure, setSure] = useState(false)
  // Previewed once; changed options start a new preview.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new function in each render
  useEffect(onLook, [])
  const done = run.data
  if (done !== undefined) return <Done effect={done} onClose={onClose} />
  const found = look.isPending ? undefined : look.data
  const isEmpty = found !== undefined && found.touches.length === 0
  return (
    <Stack>
      <Text size="sm">{note}</Text>
      {options}
      {look.error === null ? null : <Failure error={look.error} onRetry={onLook} />}
      {found === undefined ? (
        look.error === null ? (
          <Loading rows={3} />
        ) : null
      ) : isEmpty ? (
        <Alert color="green" role="status">
          {texts.nothing}
        </Alert>
      ) : (
        <Touches effect={found} />
      )}
      {found === undefined || isEmpty ? null : (
        <>
          {backupFirst ? (
            <Text size="sm" c="dimmed">
              {texts.backup}
            </Text>
          ) : null}
          {losesData ? (
            <Checkbox label={texts.sure} checked={isSure} onChange={(event) => setSure(event.currentTarget.checked)} />
          ) : null}
        </>
      )}
      {run.error === null ? null : <Failure error={run.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {texts.close}
        </Button>
        <Button
          {...(losesData ? { color: 'red.9' } : {})}
          loading={run.isPending}
          disabled={found === undefined || isEmpty || (losesData && !isSure)}
          onClick={onRun}
        >
          {texts.go}
        </Button>
      </Group>
    </Stack>
  )
}

function Touches({ effect: { touches } }: { readonly effect: Effect }) {
  const items = touches.reduce((sum, one) => sum + one.items, 0)
  return (
    <div>
      <Group justify="space-between" gap="xs" mb="2xs">
        <Text fw={600} size="sm">
          {texts.would}
        </Text>
        <Text size="sm" c="dimmed" role="status">
          {say(texts.total, { items, places: touches.length })}
        </Text>
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keys */}
      <div style={{ maxHeight: '40vh', overflow: 'auto' }} tabIndex={0} role="group" aria-label={texts.would}>
        <Table stickyHeader verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.columns.what}</Table.Th>
              <Table.Th ta="right">{texts.columns.count}</Table.Th>
              <Table.Th>{texts.columns.where}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {touches.slice(0, SHOWN).map(({ path, table, label, op, items: n, bytes }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they never move
              <Table.Tr key={index}>
                <Table.Td>
                  {label}{' '}
                  <Text span size="xs" c="dimmed">
                    {texts[op]}
                  </Text>
                </Table.Td>
                <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                  {say('{n}', { n })}
                  {bytes === undefined ? '' : ` · ${bytesText(bytes)}`}
                </Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  <Text size="xs" c="dimmed">
                    {path === '' ? texts.memory : [path, table].filter(Boolean).join(' · ')}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </div>
  )
}

function Done({
  effect: { summary, backup_path: backup, advice },
  onClose,
}: {
  readonly effect: Effect
  readonly onClose: () => void
}) {
  const { removed_items: removed, removed_files: files, changed_items: changed, freed_bytes: freed } = summary
  return (
    <Stack>
      <Alert color="green" role="status" title={texts.done}>
        <Text>{say(texts.result, { removed: removed + files, changed, freed: bytesText(freed) })}</Text>
        {backup === null ? null : <Text size="sm">{texts.backupMade}</Text>}
        {advice === null ? null : <Text size="sm">{texts.advice}</Text>}
      </Alert>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          {texts.close}
        </Button>
      </Group>
    </Stack>
  )
}
