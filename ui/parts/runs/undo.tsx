// Undoes a run: preview, confirmation, then an undo run.
import { Button, List, Stack, Text } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, type Answer } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { confirm } from '../dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../dialogs/notify.ts'
import { runs } from '../../texts/en/runs.ts'
import { say } from '../../texts/say.ts'
import { notUndoneLines } from './not-undone.tsx'

const { undo } = runs
type Preview = Answer<'POST /api/run/{run_id}/undo'>

/**
 * Shows what an undo of the run would do, and starts it when that is confirmed.
 *
 * @returns the run that undoes it; undefined if nothing was started
 */
export async function undoRun(runId: string): Promise<string | undefined> {
  const params = { run_id: runId }
  const preview = await api('POST /api/run/{run_id}/undo', { params, body: { dry_run: true } })
  const reversible = preview.reversible ?? 0
  if (reversible === 0) {
    notifyFailure(new Error(undo.nothingText), undo.nothing)
    return undefined
  }
  const isSure = await confirm({
    title: say(undo.title, { n: reversible }),
    text: <UndoSummary preview={preview} />,
    touches: preview.titles ?? [],
    touchesTotal: reversible,
    action: say(undo.confirm, { n: reversible }),
  })
  if (!isSure) return undefined
  const { run_id: started } = await api('POST /api/run/{run_id}/undo', { params, body: { dry_run: false } })
  notifyDone(undo.started)
  return started
}

/** Renders nothing if the run has nothing to undo or was undone. */
export function UndoButton({ runId }: { readonly runId: string }) {
  const [, navigate] = useLocation()
  const [isBusy, setBusy] = useState(false)
  const { data } = useRead(['runs', runId], 'GET /api/runs/{run_id}', { params: { run_id: runId } })

  async function start() {
    setBusy(true)
    try {
      const started = await undoRun(runId)
      if (started !== undefined) navigate(`/runs/${started}`)
    } catch (error) {
      notifyFailure(error)
    } finally {
      setBusy(false)
    }
  }

  if (data?.undoable !== true) return null
  return (
    <Button
      variant="default"
      leftSection={<IconArrowBackUp size={16} aria-hidden />}
      loading={isBusy}
      aria-label={isBusy ? `${undo.action}: ${undo.looking}` : undefined}
      onClick={() => void start()}
    >
      {undo.action}
    </Button>
  )
}

function UndoSummary({ preview: { by_op: byOp, irreversible_by_reason: not = [] } }: { readonly preview: Preview }) {
  return (
    <Stack gap="xs">
      <Text>{undo.text}</Text>
      <List size="sm">
        {(['add', 'update', 'remove'] as const)
          .filter((op) => (byOp?.[op] ?? 0) > 0)
          .map((op) => (
            <List.Item key={op}>{say(undo.by[op], { n: byOp?.[op] ?? 0 })}</List.Item>
          ))}
        {notUndoneLines({ not_undone: not }).map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
    </Stack>
  )
}
