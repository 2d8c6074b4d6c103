/** The operations in Python 3, with its standard library only (ledger S4-TK-09). */
import { base64, type Given, type Operation } from './script.ts'

const BEGIN = `def _toolway(given, data):
    import base64, hashlib, json, os
    path, part, folder = given["path"], given["part"], given["folder"]
    def stat(name):
        if not os.path.lexists(name):
            return None
        if not os.path.isfile(name):
            raise ValueError(name + " is not a file")
        digest = hashlib.sha256()
        with open(name, "rb") as file:
            for chunk in iter(lambda: file.read(1 << 20), b""):
                digest.update(chunk)
            return {"size": file.tell(), "sha256": digest.hexdigest()}
    output = b""
    try:
`

const BODIES: Readonly<Record<Operation['name'], string>> = {
  stat: `        said = {"file": stat(given[given["target"]])}
`,
  write: `        os.makedirs(folder, exist_ok=True)
        held = os.path.getsize(part) if os.path.isfile(part) else 0
        if held < given["offset"]:
            said = {"gap": held}
        else:
            with open(part, "r+b" if held else "wb") as file:
                file.seek(given["offset"])
                file.write(data)
                file.truncate()
                file.flush()
                os.fsync(file.fileno())
            said = {"size": given["offset"] + len(data), "sha256": hashlib.sha256(data).hexdigest()}
`,
  finish: `        wanted = {"size": given["size"], "sha256": given["sha256"]}
        if stat(part) == wanted:
            os.replace(part, path)
            said = {"done": True}
        elif not os.path.lexists(part) and stat(path) == wanted:
            said = {"done": True}
        else:
            said = {"done": False, "part": stat(part)}
`,
  read: `        with open(path, "rb") as file:
            file.seek(given["offset"])
            output = file.read(given["size"])
        said = {"sha256": hashlib.sha256(output).hexdigest()}
`,
}

const END = `    except Exception as problem:
        output, said = b"", {"failed": type(problem).__name__ + ": " + str(problem)}
    coded = [base64.b64encode(json.dumps(said).encode()).decode(), base64.b64encode(output).decode()]
    print("@@toolway:" + given["nonce"] + ":" + ":".join(coded) + "@@")
`

export function pythonScript({ operation, ...names }: Given): string {
  const { bytes = new Uint8Array(), ...more } = { bytes: undefined, ...operation }
  const call = `_toolway(__import__("json").loads(__import__("base64").b64decode("${base64(JSON.stringify({ ...names, ...more }))}")), __import__("base64").b64decode("${base64(bytes)}"))\n`
  return BEGIN + BODIES[operation.name] + END + call
}
