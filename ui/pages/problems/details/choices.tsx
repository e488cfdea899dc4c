// Values of which one is right: a person chooses, sees what that changes, and can undo it.
import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../api/client.ts'
import type { ApiError } from '../../../api/error.ts'
import { notifyUndo } from '../../../parts/dialogs/notify-undo.tsx'
import { notifyDone, notifyFailure } from '../../../parts/dialogs/notify.ts'
import { Failure } from '../../../parts/page/failure.tsx'
import { acrossPersons } from '../../../parts/persons/persons.ts'
import { analyzer } from '../../../texts/en/analyzer.ts'
import { say } from '../../../texts/say.ts'
import { serviceText } from '../../../texts/service-text.ts'
import { useAccountName, type Finding, type ProblemsQuery, type Row } from './finding.ts'

const { detail: texts } = analyzer
const TOUCHED = [['analyzer'], ['problems'], ['library']]

interface ChoicesProps {
  readonly finding: Finding
  readonly row: Row
  readonly query: ProblemsQuery
  readonly onClose: () => void
}

export function Choices({ finding, row, query, onClose }: ChoicesProps) {
  const values = finding['values'] as Readonly<Record<string, unknown>>
  return (
    <Stack gap="xs" role="group" aria-label={texts.choose}>
      <Text size="sm" fw={600}>
        {texts.choose}
      </Text>
      {(finding.choices ?? []).map((account) => (
        <Choice key={account} account={account} value={String(values[account])} {...{ finding, row, query, onClose }} />
      ))}
    </Stack>
  )
}

function Choice({
  account,
  value,
  finding,
  row,
  query,
  onClose,
}: ChoicesProps & { readonly account: string; readonly value: string }) {
  const client = useQueryClient()
  const accountName = useAccountName()
  const [isBusy, setBusy] = useState(false)
  const { ids, fix_with: fields, type } = finding as Finding & { readonly ids?: unknown }
  const body = { ...fields, ...row, type, keep: account, ...(ids === undefined ? {} : { item: { ids } }) }
  const plan = useQuery<readonly string[], ApiError>({
    queryKey: ['analyzer', 'choice', body],
    queryFn: async () => {
      const would = await api('POST /api/analyzer/fix', { query, body: { ...body, dry_run: true } } as never)
      return (would as { readonly changes?: readonly string[] }).changes ?? []
    },
  })

  const refresh = () => Promise.all(TOUCHED.map((queryKey) => client.invalidateQueries({ queryKey })))

  async function undo(id: string) {
    try {
      await api('POST /api/analyzer/changes/{id}/undo', { params: { id } })
      notifyDone(texts.undone)
    } catch (failure) {
      notifyFailure(failure)
    }
    await refresh()
  }

  async function choose() {
    setBusy(true)
    try {
      const fixed = await acrossPersons((confirmed) =>
        api('POST /api/analyzer/fix', { query, body: { ...body, changes: plan.data, ...confirmed } } as never),
      )
      if (fixed !== undefined) {
        const { change_id: id } = fixed as { readonly change_id: string | null }
        if (id !== null) notifyUndo(say(texts.chosen, { value }), texts.undo, () => void undo(id))
        onClose()
        await refresh()
      }
    } catch (failure) {
      notifyFailure(failure)
    }
    setBusy(false)
  }

  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" gap="xs">
        <div style={{ flex: '1 1 12rem', minWidth: 0 }}>
          <Text fw={600}>{say(texts.choice, { value, account: accountName(account) })}</Text>
          {plan.error === null ? (
            (plan.data ?? []).map((line) => (
              <Text key={line} size="sm" c="dimmed">
                {serviceText(line)}
              </Text>
            ))
          ) : (
            <Failure error={plan.error} />
          )}
        </div>
        <Button
          size="xs"
          loading={isBusy || plan.isPending}
          disabled={plan.data === undefined}
          onClick={() => void choose()}
        >
          {say(texts.keep, { value })}
        </Button>
      </Group>
    </Paper>
  )
}
