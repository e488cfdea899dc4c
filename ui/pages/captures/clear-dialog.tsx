// Deletes an account's data at its service: counts it first, then asks the user to type the account's name.
import { Alert, Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../../api/query.ts'
import { DialogButtons } from '../../parts/dialogs/dialog-buttons.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { featureName } from '../../parts/values/names.ts'
import { captures } from '../../texts/en/captures.ts'
import { say } from '../../texts/say.ts'
import type { Account } from './accounts.ts'
import type { Job } from './capture.ts'
import { AccountSelect } from './create-dialog.tsx'
import { JobProgress, useJob } from './job-card.tsx'

const { clear: texts } = captures

interface FeatureResult {
  readonly ok: boolean
  readonly skipped?: boolean
  readonly would_remove?: number
  readonly removed?: number
  readonly unresolved_count?: number
}

export function ClearDialog({
  accounts,
  onClose,
}: {
  readonly accounts: readonly Account[]
  readonly onClose: () => void
}) {
  const [account, setAccount] = useState<string | null>(accounts[0]?.value ?? null)
  const [features, setFeatures] = useState<readonly string[]>([])
  const [word, setWord] = useState('')
  const [jobId, setJobId] = useState<string | null>(null)
  const [isDry, setDry] = useState(true)
  const [counted, setCounted] = useState<Job | null>(null)
  const [ended, setEnded] = useState<Job | null>(null)
  const chosen = accounts.find(({ value }) => value === account)
  const start = useChange('POST /api/snapshots/tools/clear', { onDone: ({ progress_id: id }) => setJobId(id) })
  const { job, error } = useJob(jobId, (one) => {
    setJobId(null)
    if (isDry && one.state === 'succeeded') setCounted(one)
    else setEnded(one)
  })
  const isBusy = start.isPending || jobId !== null
  const total = Object.values(resultsOf(counted)).reduce((sum, one) => sum + (one.would_remove ?? 0), 0)

  function run(dry: boolean): void {
    if (chosen === undefined) return
    const { provider, instance } = chosen
    setDry(dry)
    setEnded(null)
    start.mutate({
      body: {
        ...{ provider, instance, features: [...features], dry_run: dry, background: true },
        ...(dry ? {} : { confirm: `${provider}/${instance}` }),
      },
    })
  }

  function change(what: () => void): void {
    what()
    setCounted(null)
    setWord('')
  }

  return (
    <Modal opened onClose={onClose} title={texts.title}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run(counted === null)
        }}
      >
        <Stack>
          <Text size="sm">{texts.text}</Text>
          {ended === null ? (
            <>
              <AccountSelect
                accounts={accounts}
                value={account}
                onChange={(next) =>
                  change(() => {
                    setAccount(next)
                    setFeatures([])
                  })
                }
              />
              <Checkbox.Group
                label={texts.features}
                value={[...features]}
                onChange={(next) => change(() => setFeatures(next))}
              >
                <Group mt="xs">
                  {(chosen?.features ?? []).map((one) => (
                    <Checkbox key={one} value={one} label={featureName(one)} disabled={isBusy} />
                  ))}
                </Group>
              </Checkbox.Group>
            </>
          ) : (
            <Alert color={ended.state === 'succeeded' ? 'green' : 'orange'} role="status">
              <Text>
                {ended.state === 'succeeded'
                  ? texts.done
                  : Object.keys(resultsOf(ended)).length === 0
                    ? ended.message
                    : texts.partial}
              </Text>
              <Results job={ended} isDone />
            </Alert>
          )}
          {counted === null || ended !== null ? null : (
            <Alert color="orange">
              <Results job={counted} isDone={false} />
            </Alert>
          )}
          {isBusy && job !== undefined ? <JobProgress job={job} isLook={isDry} /> : null}
          {counted !== null && ended === null && total > 0 ? (
            <TextInput
              label={say(texts.type, { word: chosen?.label ?? '' })}
              autoComplete="off"
              value={word}
              disabled={isBusy}
              onChange={(event) => setWord(event.currentTarget.value)}
            />
          ) : null}
          {start.error === null ? null : <Failure error={start.error} />}
          {error === null ? null : <Failure error={error} />}
          {ended !== null ? (
            <Group justify="flex-end">
              <Button onClick={onClose}>{captures.job.close}</Button>
            </Group>
          ) : (
            <DialogButtons onCancel={onClose}>
              {counted === null ? (
                <Button type="submit" loading={isBusy} disabled={features.length === 0}>
                  {texts.look}
                </Button>
              ) : (
                <Button type="submit" color="red.9" loading={isBusy} disabled={total === 0 || word !== chosen?.label}>
                  {texts.go}
                </Button>
              )}
            </DialogButtons>
          )}
        </Stack>
      </form>
    </Modal>
  )
}

function resultsOf(job: Job | null): Readonly<Record<string, FeatureResult>> {
  return ((job?.result ?? {}) as { readonly results?: Readonly<Record<string, FeatureResult>> }).results ?? {}
}

function Results({ job, isDone }: { readonly job: Job; readonly isDone: boolean }) {
  return Object.entries(resultsOf(job)).map(([name, one]) => {
    const feature = featureName(name)
    const stays = one.unresolved_count ?? 0
    return (
      <Text key={name} size="sm">
        {one.skipped === true
          ? say(texts.readOnly, { feature })
          : isDone
            ? say(texts.removed, { feature, n: one.removed ?? 0 })
            : say(texts.would, { feature, n: one.would_remove ?? 0 })}
        {stays > 0 ? `, ${say(texts.stays, { n: stays })}` : ''}
      </Text>
    )
  })
}
