/**
 * The only script of the gateway's own pages: it asks the browser for a passkey and sends what it answers with the form around the
 * button. Without it, or in a browser without passkeys, the button stays hidden and everything else works.
 */
export const PASSKEY_SCRIPT = `
for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) continue
  const [button, problem] = [form.querySelector('button'), form.querySelector('[role=alert]')]
  form.hidden = false
  button.addEventListener('click', async () => {
    problem.hidden = true
    button.disabled = true
    try {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(form.dataset.passkey))
      const credential = await navigator.credentials.get({ publicKey })
      form.elements.passkey.value = JSON.stringify(credential.toJSON())
      form.submit()
    } catch {
      problem.hidden = false
      button.disabled = false
    }
  })
}
`
