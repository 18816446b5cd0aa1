// Runs inside the extension host of the real editor: what the extension offers to the editor's own
// commands. Told by host.mjs; the texts that a person reads are tested by test.mjs.
const assert = require('node:assert/strict');
const fs = require('node:fs');
const vscode = require('vscode');

let passed = 0;
let failed = 0;
async function check(name, body) {
    try {
        await body();
        passed++;
        console.log(`ok      ${name}`);
    } catch (error) {
        failed++;
        console.log(`not ok  ${name}`);
        console.log(`  ${String(error.stack ?? error).replaceAll('\n', '\n  ')}`);
    }
}

/** Waits until `read` gives something true. */
async function until(what, read) {
    for (let tries = 0; tries < 200; tries++) {
        const value = await read();
        if (value) return value;
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`did not happen: ${what}`);
}

/** The language server that this extension host started: the process it is. */
function serverProcess() {
    const children = fs.readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim();
    return children.split(' ').map(Number).find((pid) => {
        try {
            return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/server/lift\0lsp');
        } catch {
            return false; // It ended meanwhile.
        }
    });
}

/** The position of the first occurrence of a text. */
function at(document, text) {
    return document.positionAt(document.getText().indexOf(text));
}

exports.run = async () => {
    const folder = vscode.workspace.workspaceFolders[0].uri;
    const { EVENS, ZIP_ERROR } = await import('./expectations.mjs');
    const uri = vscode.Uri.joinPath(folder, EVENS.file);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    const extension = vscode.extensions.getExtension('lift-lang.lift');

    await check('a .lift file is a Lift program, and opening it starts the extension', async () => {
        assert.equal(document.languageId, 'lift');
        await until('the extension is active', () => extension.isActive);
    });

    await check('every command of the manifest is registered', async () => {
        const registered = new Set(await vscode.commands.getCommands(true));
        const promised = extension.packageJSON.contributes.commands.map((c) => c.command);
        assert.deepEqual(promised.filter((command) => !registered.has(command)), []);
    });

    await check('the commands of the server are registered', async () => {
        const wanted = ['lift.server.generateOpenCL', 'lift.server.runKernel', 'lift.server.kernels'];
        await until('registered', async () => {
            const registered = new Set(await vscode.commands.getCommands(true));
            return wanted.every((command) => registered.has(command));
        });
    });

    await check('executeHoverProvider gives the type of the filter call', async () => {
        const hovers = await until('a hover', async () => {
            const found = await vscode.commands.executeCommand(
                'vscode.executeHoverProvider', uri, at(document, 'filter'));
            return found.length > 0 && found;
        });
        const text = hovers.flatMap((hover) => hover.contents.map((c) => c.value)).join('\n');
        assert.ok(text.includes('<∃X, Array[Int,X]>'), text);
    });

    await check('executeInlayHintProvider gives the inserted unpack and pack', async () => {
        const all = new vscode.Range(0, 0, document.lineCount, 0);
        const hints = await vscode.commands.executeCommand('vscode.executeInlayHintProvider', uri, all);
        const labels = hints.map(({ label }) =>
            typeof label === 'string' ? label : label.map((part) => part.value).join(''));
        for (const wanted of ['unpack X1', 'pack']) {
            assert.ok(labels.some((label) => label.includes(wanted)), `${wanted} is not in ${labels}`);
        }
    });

    await check('lift.server.kernels names the kernel with its inputs and sizes', async () => {
        const kernels = await vscode.commands.executeCommand('lift.server.kernels', { uri: uri.toString() });
        assert.equal(kernels.length, 1);
        assert.equal(kernels[0].name, EVENS.kernel);
        assert.deepEqual(kernels[0].inputs.map((input) => input.type), ['Array[Int,N]']);
        assert.deepEqual(kernels[0].sizes, ['N']);
    });

    await check('[definition] the definition of a primitive is a text that the server gives out', async () => {
        const [found] = await vscode.commands.executeCommand(
            'vscode.executeDefinitionProvider', uri, at(document, 'filter'));
        const definition = found.targetUri ?? found.uri;
        assert.equal(definition.toString(), 'lift:/primitives.lift');
        const shown = await vscode.workspace.openTextDocument(definition);
        assert.equal(shown.languageId, 'lift');
        assert.equal(shown.getText(found.targetSelectionRange ?? found.range), 'filter');
    });

    await check('[explain] the code of an error leads to a page that explains it', async () => {
        const wrong = vscode.Uri.joinPath(folder, ZIP_ERROR.file);
        await vscode.workspace.openTextDocument(wrong);
        const [error] = await until('an error', () => {
            const found = vscode.languages.getDiagnostics(wrong);
            return found.length > 0 && found;
        });
        assert.equal(error.code.value, 'unequal-lengths');
        const page = await vscode.workspace.openTextDocument(error.code.target);
        assert.equal(page.languageId, 'markdown');
        assert.match(page.getText(), /^# unequal-lengths/);
    });

    await check('the generated text is a read-only OpenCL document', async () => {
        await vscode.commands.executeCommand('lift.generateOpenCL');
        const generated = vscode.workspace.textDocuments.find((d) => d.uri.scheme === 'lift-opencl');
        assert.equal(generated.languageId, 'opencl');
        const before = generated.getText();
        assert.match(before, /\b(__)?kernel void\b/);
        await vscode.window.showTextDocument(generated);
        await vscode.commands.executeCommand('type', { text: 'typed' });
        assert.equal(generated.getText(), before);
        await vscode.window.showTextDocument(document);
    });

    await check('a word is what the language calls a name', () => {
        const wordAt = (line, character) => {
            const range = document.getWordRangeAtPosition(new vscode.Position(line, character));
            return range && document.getText(range);
        };
        const edit = new vscode.WorkspaceEdit();
        const end = document.lineCount;
        edit.insert(uri, new vscode.Position(end, 0), "\n(+i xs' #N [->] -2.0f)\n");
        return vscode.workspace.applyEdit(edit).then(async () => {
            const line = [...Array(document.lineCount).keys()].find((n) =>
                document.lineAt(n).text.startsWith('(+i'));
            const words = [1, 5, 9, 12, 16].map((character) => wordAt(line, character));
            await vscode.commands.executeCommand('workbench.action.files.revert');
            assert.deepEqual(words, ['+i', "xs'", 'N', '->', '-2.0f']);
        });
    });

    await require('./host-features.cjs').run(check, until, folder);
    await vscode.window.showTextDocument(document);

    const typed = await vscode.workspace.openTextDocument({ language: 'lift' });
    const typing = await vscode.window.showTextDocument(typed);
    for (const [what, line, below] of [
        ['goes in under an open bracket', '(define (twice x) ; in (words', '  '],
        ['stays where it is after a closed one', '(define (twice x) (* 2 x))', ''],
        ['continues documentation', ';;; Twice.', ';;; '],
    ]) {
        await check(`[indentation] a new line ${what}`, async () => {
            const all = new vscode.Range(0, 0, typed.lineCount, 0);
            assert.ok(await typing.edit((edit) => edit.replace(all, line)));
            const end = new vscode.Position(0, line.length);
            typing.selection = new vscode.Selection(end, end);
            await vscode.commands.executeCommand('type', { text: '\n' });
            await until('the new line', () => typed.lineCount === 2);
            assert.equal(typed.lineAt(1).text, below);
        });
    }
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');

    await check('a server that dies is started again', async () => {
        const first = serverProcess();
        assert.ok(first, 'no server process');
        process.kill(first, 'SIGKILL');
        await until('another server', () => ![undefined, first].includes(serverProcess()));
        await until('a hover', async () => (await vscode.commands.executeCommand(
            'vscode.executeHoverProvider', uri, at(document, 'filter'))).length > 0);
    });

    console.log(`${passed} passed, ${failed} failed`);
    if (failed > 0) throw new Error(`${failed} failed`);
};
