/** The words of the time that a call took, step by step, and of the way from its record to the playground. */
export const callTimings = {
  title: 'Time by step',
  step: 'Step',
  took: 'Time',
  steps: {
    identify: 'Read the request, identify the caller',
    policy: 'Check policies and arguments',
    approval: 'Wait for approval',
    record: 'Write to the audit log',
    credential: 'Open or renew the credential',
    upstream: 'Wait for the server',
    result: 'Check and return the result',
  } as Readonly<Record<string, string>>,
  note: 'Steps under 0.05 ms are left out. Retries and questions count to the step that they belong to.',
  retry: 'Retry in the playground',
}
