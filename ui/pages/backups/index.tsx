// Backups: the nightly schedule, creation and the stored ones.
import { Button, Stack, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { IconArchive, IconUpload } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import type { ApiError } from '../../api/error.ts'
import { useRead } from '../../api/query.ts'
import { uploadWithProgress } from '../../api/upload.ts'
import { useAddressDialog } from '../../parts/page/address-dialog.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { RunProgress } from '../../parts/runs/run-progress.tsx'
import { backups as texts } from '../../texts/en/backups.ts'
import { shell } from '../../texts/en/shell.ts'
import { say } from '../../texts/say.ts'
import { BackupList } from './list.tsx'
import { CreateDialog } from './create-dialog.tsx'
import { Schedule } from './schedule.tsx'

const PERCENT = 100

export default function Backups() {
  const client = useQueryClient()
  const { isOpen: isCreating, open, close } = useAddressDialog('create')
  const [share, setShare] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  const query = useRead(['backups'], 'GET /api/backups/list')
  const send = useMutation<unknown, ApiError, File>({
    mutationFn: (file) => {
      setShare(0)
      return uploadWithProgress('/api/backups/upload', file, setShare)
    },
    onSuccess: async () => {
      notifyDone(texts.uploaded)
      await client.invalidateQueries({ queryKey: ['backups'] })
    },
  })
  return (
    <Page
      title={shell.pages.backups}
      text={texts.intro}
      actions={
        <>
          <Button
            variant="default"
            loading={send.isPending}
            leftSection={<IconUpload size={16} aria-hidden />}
            onClick={() => field.current?.click()}
          >
            {texts.upload}
          </Button>
          <Button leftSection={<IconArchive size={16} aria-hidden />} onClick={open}>
            {texts.create}
          </Button>
        </>
      }
    >
      <Stack gap="lg">
        <input
          ref={field}
          type="file"
          accept=".zip"
          className="unseen"
          tabIndex={-1}
          aria-label={texts.uploadLabel}
          onChange={(event) => {
            const file = event.target.files?.[0]
            if (file !== undefined) send.mutate(file)
            event.target.value = ''
          }}
        />
        {send.isPending ? (
          <RunProgress
            label={say(texts.uploading, { name: send.variables.name })}
            done={Math.round(share * PERCENT)}
            total={PERCENT}
          />
        ) : null}
        {send.error === null ? null : <Failure error={send.error} />}
        <Schedule />
        <Stack gap="sm" component="section" aria-label={texts.list}>
          <Title order={2} size="h4">
            {texts.list}
          </Title>
          <QueryView
            query={query}
            isEmpty={({ backups }) => backups.length === 0}
            empty={
              <EmptyState
                icon={IconArchive}
                title={texts.none.title}
                text={texts.none.text}
                action={<Button onClick={open}>{texts.create}</Button>}
              />
            }
          >
            {({ backups }) => <BackupList backups={backups} />}
          </QueryView>
        </Stack>
      </Stack>
      {isCreating ? <CreateDialog onClose={close} /> : null}
    </Page>
  )
}
