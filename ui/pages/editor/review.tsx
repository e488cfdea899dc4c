// Reviews all changes before saving, with the plan if there is one, then shows the results.
import { Alert, Badge, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isApiError, type ApiError } from '../../api/error.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { PlanView } from '../../parts/plan-view/index.tsx'
import { editor as all } from '../../texts/en/editor.ts'
import { say } from '../../texts/say.ts'
import { nameOf, valueText, whenOf } from './row-table.tsx'
import type { Save, SaveOptions, Saved, Trial } from './save.ts'
import type { Change } from './state.ts'
import type { ChangeSet } from './use-changes.ts'

const { plan: texts } = all
const COLORS = { add: 'green', edit: 'blue', remove: 'red', block: 'orange' } as const
const reasonOf = (code: string) => (all.reasons as Readonly<Record<string, string>>)[code] ?? code

interface ReviewProps {
  readonly changes: ChangeSet
  readonly save: Save
  readonly text: string
  readonly onClose: () => void
}

export function Review({ changes, save, text, onClose }: ReviewProps) {
  const client = useQueryClient()
  const [options, setOptions] = useState<SaveOptions>({})
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const { trial } = save
  const plan = useQuery<Trial | null, ApiError>({
    queryKey: ['editor-trial', [...changes.all.entries()], changes.order],
    queryFn: async () => (trial === null ? null : await trial(changes.all, changes.order)),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const code = isApiError(error) ? error.code : ''
  const rejected = plan.data?.rejected ?? []

  async function run(extra: SaveOptions = {}) {
    const chosen = { ...options, ...extra }
    setOptions(chosen)
    setSaving(true)
    setError(null)
    try {
      tell(await save.run(changes.all, changes.order, chosen), changes.size, () =>
        client.invalidateQueries({ queryKey: ['editor'] }),
      )
      changes.clear()
      onClose()
      for (const area of ['editor', 'library', 'playlists']) void client.invalidateQueries({ queryKey: [area] })
    } catch (caught) {
      setError(caught)
    }
    setSaving(false)
  }

  function reload() {
    changes.clear()
    onClose()
    void client.invalidateQueries({ queryKey: ['editor'] })
  }

  return (
    <Modal opened onClose={onClose} size="xl" title={texts.title}>
      <Stack>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
        {code === 'changed_since_load' ? (
          <Alert color="orange" role="alert" title={texts.changed}>
            <Text size="sm">{texts.changedText}</Text>
            <Group mt="sm" gap="xs">
              <Button size="xs" variant="default" onClick={reload}>
                {texts.reload}
              </Button>
              <Button size="xs" onClick={() => void run({ force: true })}>
                {texts.force}
              </Button>
            </Group>
          </Alert>
        ) : code === 'confirm_removals_required' ? (
          <Alert color="orange" role="alert">
            <Text size="sm">{say(texts.held, { n: removalsOf(changes) })}</Text>
            <Button mt="sm" size="xs" color="red.9" onClick={() => void run({ confirmRemovals: true })}>
              {texts.confirm}
            </Button>
          </Alert>
        ) : error === null ? null : (
          <Failure error={error} text={invalidText(error) ?? undefined} />
        )}
        {plan.error === null ? null : <Failure error={plan.error} text={invalidText(plan.error) ?? undefined} />}
        {rejected.length === 0 ? null : (
          <Alert color="orange" title={say(texts.rejected, { n: rejected.length })}>
            {rejected.slice(0, 8).map(({ key, reason }) => (
              <Text key={key} size="sm">
                {reasonOf(reason)}
              </Text>
            ))}
          </Alert>
        )}
        {plan.isPending ? (
          <Loading rows={4} />
        ) : plan.data?.planId == null ? (
          <DataTable
            label={texts.label}
            columns={COLUMNS}
            rows={[...changes.all.values()]}
            rowKey={({ row }) => row.key}
            height={360}
          />
        ) : (
          <PlanView planId={plan.data.planId} withActions={false} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button loading={isSaving} disabled={plan.isPending} onClick={() => void run()}>
            {say(texts.save, { n: changes.size })}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function removalsOf({ all: changes }: ChangeSet): number {
  return [...changes.values()].filter(({ op }) => op === 'remove').length
}

/** The reasons of invalid rows. */
function invalidText(error: unknown): string | null {
  if (!isApiError(error) || error.code !== 'invalid_rows') return null
  const { errors = [] } = error.body as {
    readonly errors?: readonly { readonly key: string; readonly reason: string }[]
  }
  return [error.message, ...errors.slice(0, 5).map(({ reason }) => reasonOf(reason))].join(' ')
}

function tell({ isComplete, isWaiting, left, undo }: Saved, n: number, refresh: () => Promise<void>): void {
  const { saved } = all
  const id = notifications.show({
    color: isComplete ? 'green' : 'orange',
    withBorder: true,
    autoClose: 20_000,
    message: (
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{isWaiting ? saved.waiting : isComplete ? say(saved.done, { n }) : saved.partly}</Text>
        {left.slice(0, 3).map(({ key, reason }) => (
          <Text key={key} size="xs" c="dimmed">
            {reasonOf(reason)}
          </Text>
        ))}
        {undo === null || isWaiting ? null : (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              notifications.hide(id)
              undo()
                .then((left) =>
                  left.length === 0
                    ? notifyDone(saved.undone)
                    : notifyFailure(new Error(left.join(' ')), saved.undoFailed),
                )
                .catch((error: unknown) => notifyFailure(error))
                .finally(() => void refresh())
            }}
          >
            {saved.undo}
          </Button>
        )}
      </Stack>
    ),
  })
}

const cellOf = (item: Change['row']['item']) =>
  [valueText(item), whenOf(item)?.day ?? ''].filter((one) => one !== '').join(' · ')

const COLUMNS: readonly Column<Change>[] = [
  {
    id: 'what',
    header: texts.columns.what,
    width: '2fr',
    isTitle: true,
    cell: ({ row }) => (
      <Text size="sm" truncate title={nameOf(row.item)} dir="auto">
        {nameOf(row.item)}
      </Text>
    ),
  },
  {
    id: 'change',
    header: texts.columns.change,
    width: '7rem',
    cell: ({ op }) => (
      <Badge variant="light" color={COLORS[op]}>
        {all.marks[op]}
      </Badge>
    ),
  },
  {
    id: 'from',
    isBare: true,
    header: texts.columns.from,
    width: '1fr',
    cell: (change) => <Text size="sm">{change.op === 'edit' ? cellOf(change.before.item) : ''}</Text>,
  },
  {
    id: 'to',
    isBare: true,
    header: texts.columns.to,
    width: '1fr',
    cell: ({ op, row }) => <Text size="sm">{op === 'edit' || op === 'add' ? cellOf(row.item) : ''}</Text>,
  },
]
