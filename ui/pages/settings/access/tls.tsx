// The protocol and the certificate.
import { Alert, Button, Group, Modal, NumberInput, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { IconDownload, IconLock, IconLockOpen } from '@tabler/icons-react'
import { useState } from 'react'
import { at } from '../../../api/base.ts'
import type { Answer } from '../../../api/client.ts'
import { useChange, useRead } from '../../../api/query.ts'
import { Copy } from '../../../parts/values/copy.tsx'
import { Facts } from '../../../parts/lists/facts.tsx'
import { Failure } from '../../../parts/page/failure.tsx'
import { notifyDone } from '../../../parts/dialogs/notify.ts'
import { QueryView } from '../../../parts/page/query-view.tsx'
import { StatusBadge } from '../../../parts/values/status-badge.tsx'
import { settings } from '../../../texts/en/settings.ts'
import { say } from '../../../texts/say.ts'
import { Card } from '../card.tsx'
import { SectionForm } from '../../../parts/settings/section-form.tsx'
import { locale } from '../../../texts/language.ts'

type Status = Answer<'GET /api/ui/tls/status'>
type Certificate = Status['tls']['cert']

const { tls } = settings
const KEY = ['settings', 'tls']
const FIELDS = ['protocol', 'tls']
const SOON_DAYS = 30
const DEFAULT_DAYS = 825
const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'long' })

export default function Tls() {
  const client = useQueryClient()
  const status = useRead(KEY, 'GET /api/ui/tls/status')
  return (
    <Stack>
      <QueryView query={status}>{(data) => <CertificateCard status={data} />}</QueryView>
      <Card title={tls.change} text={tls.changeText}>
        <SectionForm path="ui" only={FIELDS} onSaved={() => void client.invalidateQueries({ queryKey: KEY })} />
      </Card>
    </Stack>
  )
}

function CertificateCard({
  status: {
    protocol,
    tls: { cert, problem, ...stored },
  },
}: {
  readonly status: Status
}) {
  const [isMaking, setMaking] = useState(false)
  const isEncrypted = protocol === 'https'
  const Icon = isEncrypted ? IconLock : IconLockOpen
  return (
    <Card
      title={tls.certificate}
      text={cert.exists ? (cert.self_signed === true ? tls.selfSigned : undefined) : tls.noCertificate}
      aside={<StatusBadge tone={isEncrypted ? 'good' : 'idle'} label={isEncrypted ? tls.https : tls.http} />}
    >
      {problem === null ? null : (
        <Alert color="red">{(tls.problems as Readonly<Record<string, string>>)[problem] ?? problem}</Alert>
      )}
      {cert.error === undefined ? null : <Alert color="red">{tls.broken}</Alert>}
      {cert.key_matches === false ? <Alert color="red">{tls.keyDiffers}</Alert> : null}
      {cert.subject === undefined ? null : <CertificateFacts cert={cert} />}
      <Group gap="xs">
        {cert.subject === undefined ? null : (
          <Button
            component="a"
            href={at('/api/ui/tls/cert')}
            download
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {tls.download}
          </Button>
        )}
        <Button variant="default" onClick={() => setMaking(true)} leftSection={<Icon size={16} aria-hidden />}>
          {tls.renew}
        </Button>
      </Group>
      <Modal opened={isMaking} onClose={() => setMaking(false)} title={tls.renewTitle}>
        {isMaking ? <MakeForm stored={stored} onClose={() => setMaking(false)} /> : null}
      </Modal>
    </Card>
  )
}

function CertificateFacts({ cert }: { readonly cert: Certificate }) {
  const days = cert.expires_in_days ?? 0
  return (
    <Facts
      facts={[
        [tls.name, cert.subject],
        [tls.issuer, cert.issuer],
        [
          tls.valid,
          <Group key="valid" gap="xs">
            {dates.format(Date.parse(cert.not_after ?? ''))}
            <StatusBadge
              tone={days < 0 ? 'bad' : days < SOON_DAYS ? 'warn' : 'good'}
              label={days < 0 ? tls.expired : say(tls.expires, { n: days })}
            />
          </Group>,
        ],
        [tls.names, (cert.sans ?? []).join(', ')],
        [
          tls.print,
          <Group key="print" gap="xs">
            <code className="long-code">{cert.sha256}</code>
            <Copy text={cert.sha256 ?? ''} />
          </Group>,
        ],
        [
          tls.file,
          <code key="file" className="long-code">
            {cert.path}
          </code>,
        ],
      ]}
    />
  )
}

function MakeForm({
  stored,
  onClose,
}: {
  readonly stored: Pick<Status['tls'], 'hostname' | 'valid_days' | 'alt_dns' | 'alt_ips'>
  readonly onClose: () => void
}) {
  const form = useForm({
    initialValues: {
      hostname: stored.hostname ?? location.hostname,
      valid_days: stored.valid_days ?? DEFAULT_DAYS,
      alt_dns: (stored.alt_dns ?? []).join('\n'),
      alt_ips: (stored.alt_ips ?? []).join('\n'),
    },
  })
  const make = useChange('POST /api/ui/tls/regenerate', {
    refresh: [KEY, ['settings', 'section', 'ui']],
    onDone: ({ restart_required: needsRestart }) => {
      notifyDone(needsRestart === true ? tls.madeRestart : tls.made)
      onClose()
    },
  })

  function submit(values: typeof form.values) {
    make.mutate(
      {
        body: {
          hostname: values.hostname.trim(),
          valid_days: values.valid_days,
          alt_dns: lines(values.alt_dns),
          alt_ips: lines(values.alt_ips),
        },
      },
      {
        // "alt_dns.1" is one line of the field.
        onError: ({ fields }) =>
          form.setErrors(
            Object.fromEntries(
              Object.entries(fields).map(([field, message]) => [field.split('.')[0] as string, message]),
            ),
          ),
      },
    )
  }

  return (
    <form onSubmit={form.onSubmit(submit)}>
      <Stack gap="sm">
        <div>{tls.renewText}</div>
        <TextInput
          label={tls.hostname}
          description={tls.hostnameHint}
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('hostname')}
          data-autofocus
        />
        <NumberInput label={tls.days} min={1} max={3650} allowDecimal={false} {...form.getInputProps('valid_days')} />
        <Textarea
          label={tls.further}
          description={tls.furtherHint}
          autosize
          minRows={2}
          spellCheck={false}
          {...form.getInputProps('alt_dns')}
        />
        <Textarea
          label={tls.addresses}
          description={tls.furtherHint}
          autosize
          minRows={2}
          spellCheck={false}
          {...form.getInputProps('alt_ips')}
        />
        {make.error === null ? null : <Failure error={make.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {settings.sso.cancel}
          </Button>
          <Button type="submit" loading={make.isPending}>
            {tls.make}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function lines(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
