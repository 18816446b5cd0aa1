// What the editor gets from the language server, by the editor's own commands: one check for each feature of
// tests/editors/features.json that has no picture. Called by host-tests.cjs.
const assert = require('node:assert/strict');
const vscode = require('vscode');

/** The position of the first occurrence of a text, and so many characters further. */
function at(document, text, further = 0) {
    const found = document.getText().indexOf(text);
    assert.ok(found >= 0, `${text} is not in ${document.getText()}`);
    return document.positionAt(found + further);
}

const ask = (provider, ...args) => vscode.commands.executeCommand(`vscode.${provider}`, ...args);

/** All names in a tree of symbols. */
const names = (symbols) => symbols.flatMap((symbol) => [symbol.name, ...names(symbol.children ?? [])]);

/** Opens a program that is no file. */
async function typed(content) {
    const document = await vscode.workspace.openTextDocument({ language: 'lift', content });
    return { document, editor: await vscode.window.showTextDocument(document) };
}

const close = () => vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');

exports.run = async (check, until, folder) => {
    const uri = vscode.Uri.joinPath(folder, 'features.lift');
    const lib = vscode.Uri.joinPath(folder, 'lib.lift');
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);

    await check('[semantic] semantic tokens', async () => {
        const tokens = await until('tokens', async () => ask('provideDocumentSemanticTokens', uri));
        const legend = await ask('provideDocumentSemanticTokensLegend', uri);
        const kinds = new Set();
        for (let i = 3; i < tokens.data.length; i += 5) kinds.add(legend.tokenTypes[tokens.data[i]]);
        for (const kind of ['method', 'function', 'macro', 'parameter', 'typeParameter']) {
            assert.ok(kinds.has(kind), `${kind} is not among ${[...kinds]}`);
        }
    });

    await check('[symbols] the names of a file', async () => {
        assert.deepEqual(names(await ask('executeDocumentSymbolProvider', uri)), ['lib.lift', 'big', 'large']);
    });

    await check('[workspace-symbols] the names of all files', async () => {
        const found = await ask('executeWorkspaceSymbolProvider', 'doub');
        assert.ok(found.some((s) => s.name === 'double' && s.location.uri.path === lib.path), names(found).join());
    });

    await check('[folding] folds', async () => {
        const folds = await ask('executeFoldingRangeProvider', uri);
        const kernel = at(document, '(lift big').line;
        assert.ok(folds.some((fold) => fold.start === kernel && fold.end >= kernel + 2), JSON.stringify(folds));
    });

    await check('[selection-ranges] the selection grows', async () => {
        const [found] = await ask('executeSelectionRangeProvider', uri, [at(document, 'large xs')]);
        const texts = [];
        for (let range = found; range; range = range.parent) texts.push(document.getText(range.range));
        for (const text of ['large', '(filter large xs)', '(map double (filter large xs))']) {
            assert.ok(texts.includes(text), `${text} is not in ${texts.join(' | ')}`);
        }
    });

    await check('[highlights] the uses of a name', async () => {
        assert.equal((await ask('executeDocumentHighlights', uri, at(document, 'large xs'))).length, 2);
    });

    await check('[signature] the signature of a call', async () => {
        const help = await ask('executeSignatureHelpProvider', uri, at(document, 'double (filter'));
        assert.ok(help.signatures[0].label.startsWith('(map '), help.signatures[0].label);
        assert.equal(help.activeParameter, 0);
    });

    await check('[type-definition] to where a length comes from', async () => {
        const found = await ask('executeTypeDefinitionProvider', uri, at(document, 'xs))))'));
        const range = found[0].targetSelectionRange ?? found[0].targetRange ?? found[0].range;
        assert.equal(document.getText(range), '(array-type float N)');
    });

    await check('[references] all references, also in other files', async () => {
        const found = await ask('executeReferenceProvider', uri, at(document, '(map double', 5));
        assert.deepEqual([...new Set(found.map((place) => place.uri.path))].sort(), [uri.path, lib.path].sort());
    });

    await check('[rename] a name is changed in all files', async () => {
        const edit = await ask('executeDocumentRenameProvider', uri, at(document, '(map double', 5), 'twice');
        assert.deepEqual(edit.entries().map(([file]) => file.path).sort(), [uri.path, lib.path].sort());
    });

    await check('[calls] who calls a function', async () => {
        const [item] = await ask('prepareCallHierarchy', uri, at(document, 'large x)'));
        const calls = await ask('provideIncomingCalls', item);
        assert.deepEqual(calls.map((call) => call.from.name), ['big']);
    });

    await check('[links] from an import to its file', async () => {
        const links = await ask('executeLinkProvider', uri, 10);
        assert.deepEqual(links.map((link) => link.target.path), [lib.path]);
    });

    await check('[completion] what fits comes first', async () => {
        const { document, editor } = await typed('(define (f (xs (array-type float n)))\n  (map sq xs))\n');
        const { items } = await until('candidates', async () => {
            const list = await ask('executeCompletionItemProvider', document.uri, at(document, 'sq', 2));
            return list.items.some((item) => item.label === 'sqrt' || item.label.label === 'sqrt') && list;
        });
        const fitting = items.filter((item) => (item.label.label ?? item.label).startsWith('sq'));
        fitting.sort((a, b) => ((a.sortText ?? '') < (b.sortText ?? '') ? -1 : 1));
        assert.equal(fitting[0].label.label ?? fitting[0].label, 'sqrt');
        assert.equal(editor.document, document);
        await close();
    });

    await check('[snippets] a snippet of the extension', async () => {
        const { document } = await typed('');
        await vscode.commands.executeCommand('editor.action.insertSnippet', { langId: 'lift', name: 'Kernel' });
        assert.match(document.getText(), /^\(lift name \(N\) \(\(array-type float N\)\)\n {2}\(lambda \(xs\)\n/);
        await close();
    });

    await check('[actions] a mistake is repaired', async () => {
        const { document } = await typed('(define (f (x float)) (* x 2))\n');
        const range = new vscode.Range(at(document, '2))'), at(document, '2))', 1));
        const action = await until('an action', async () => {
            const found = await ask('executeCodeActionProvider', document.uri, range);
            return found.find((a) => a.title === 'Write `2.0f`');
        });
        assert.ok(action.isPreferred);
        assert.ok(await vscode.workspace.applyEdit(action.edit));
        assert.equal(document.getText(), '(define (f (x float)) (* x 2.0f))\n');
        await until('no error', () => vscode.languages.getDiagnostics(document.uri).length === 0);
        await close();
    });

    // From a naive product of matrices to tiles on work-groups, with a part of each in local memory.
    const NAIVE = [
        '(lift multiply (N K M) ((array-type (array-type float K) N) (array-type (array-type float M) K))',
        '  (lambda (xss yss)',
        '    (map (lambda (xs) (map (lambda (ys) (reduceSeq 0.0f + (zipWith * xs ys))) (transpose yss))) xss)))',
        '',
    ].join('\n');
    const STEPS = [
        ['(transpose yss)', 'Compute once, before the map (hoist)'],
        ['(map', 'Compute square tiles (tiles, k = 4, l = 4)'],
        ['(map', 'Run the tiles on a grid of work-groups (group-tiles)'],
        ['(mapWrg1', 'Copy the first array of each tile to local memory (local-tiles)'],
    ];
    await check('[laws] a naive product of matrices becomes tiles in local memory by code actions alone', async () => {
        const { document } = await typed(NAIVE);
        const request = {
            uri: document.uri.toString(),
            kernel: 'multiply',
            inputs: ['signed:1', 'signed:2'],
            sizes: { N: 8, K: 6, M: 12 },
        };
        const run = async () => (await vscode.commands.executeCommand('lift.server.runKernel', request)).output;
        const expected = await run();
        assert.equal(expected.trim().split(/\s+/).length, 8 * 12);
        for (const [place, title] of STEPS) {
            const cursor = new vscode.Range(at(document, place), at(document, place));
            const action = await until(title, async () => {
                const found = await ask('executeCodeActionProvider', document.uri, cursor, 'refactor.rewrite.lift.law');
                return found.find((a) => a.title.startsWith(title));
            });
            assert.ok(await vscode.workspace.applyEdit(action.edit));
            assert.deepEqual(vscode.languages.getDiagnostics(document.uri).filter((d) => d.severity === 0), []);
            assert.equal(await run(), expected, title);
        }
        for (const word of ['mapWrg1', 'mapWrg0', 'mapLcl1', 'mapLcl0', 'toLocal']) {
            assert.ok(document.getText().includes(word), document.getText());
        }
        await close();
    });

    const DOUBLED = [
        ';;; run: xs=iota N=100',
        '(lift doubled (N) ((array-type int N))',
        '  (lambda (xs) (map (lambda (x) (* x 2)) xs)))',
        '',
    ].join('\n');
    const written = async (name, text) => {
        const edited = vscode.Uri.joinPath(folder, name);
        await vscode.workspace.fs.writeFile(edited, new TextEncoder().encode(text));
        const document = await vscode.workspace.openTextDocument(edited);
        return { edited, document, editor: await vscode.window.showTextDocument(document) };
    };
    const deleted = async (edited) => {
        await vscode.commands.executeCommand('workbench.action.closeAllEditors');
        await vscode.workspace.fs.delete(edited);
        await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    };

    await check('[tune] a search gives a table of what was tried', async () => {
        const { edited } = await written('tuned.lift', DOUBLED);
        const target = { uri: edited.toString(), kernel: 'doubled', sizes: { N: 1000 }, budget: 1 };
        await vscode.commands.executeCommand('lift.tune', target);
        const table = await until('the table', () => {
            const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
            return tabs.find((tab) => tab.label === 'doubled: tuning');
        });
        assert.ok(table.input instanceof vscode.TabInputWebview);
        await vscode.window.tabGroups.close(table);
        await deleted(edited);
    });

    await check('[compare] a kernel is compared with its pinned version, side by side', async () => {
        const { edited, document, editor } = await written('compared.lift', DOUBLED);
        const target = { uri: edited.toString(), kernel: 'doubled' };
        await vscode.commands.executeCommand('lift.pin', target);
        await editor.edit((edit) => edit.replace(new vscode.Range(at(document, '* x 2'), at(document, ')) xs')), '+ x x'));
        const lenses = await until('the lens', async () => {
            const all = await ask('executeCodeLensProvider', edited);
            return all.some((lens) => lens.command?.title === 'Compare with Pinned') && all;
        });
        assert.ok(lenses.some((lens) => lens.command?.title === 'Pin Again'));
        await vscode.commands.executeCommand('lift.compare', target);
        const views = vscode.window.visibleTextEditors.filter((e) => e.document.uri.scheme === 'lift-opencl');
        assert.equal(views.length, 2, 'generated code of both');
        const sources = views.map((e) => vscode.Uri.parse(e.document.uri.query, true).scheme).sort();
        assert.deepEqual(sources, ['file', 'lift-pinned']);
        const result = vscode.workspace.textDocuments.find((d) => d.uri.path.includes('doubled compared'));
        assert.match(result?.getText() ?? '', /results on the device {4}equal\n/);
        // Both sides are linked to their programs.
        for (const view of views) {
            const source = vscode.Uri.parse(view.document.uri.query, true);
            const found = await ask('executeDefinitionProvider', view.document.uri, at(view.document, 'result['));
            assert.equal((found[0].targetUri ?? found[0].uri).toString(), source.toString());
        }
        await deleted(edited);
    });

    await check('[format] formatting', async () => {
        const { document } = await typed('(define (f (x float))\n         (* x    2.0f))\n');
        await until('the new text', async () => {
            await vscode.commands.executeCommand('editor.action.formatDocument');
            return document.getText() === '(define (f (x float))\n  (* x 2.0f))\n';
        });
        await close();
    });

    await check('[brackets] a pair of brackets keeps one shape while typing', async () => {
        const { document, editor } = await typed('[f x');
        editor.selection = new vscode.Selection(0, 4, 0, 4);
        await vscode.commands.executeCommand('type', { text: ')' });
        await until('the other shape', () => document.getText() === '[f x]').catch((error) => {
            throw new Error(`${error.message}: ${document.getText()}`);
        });
        await close();
    });

    await check('[linked] a local name is changed everywhere at once', async () => {
        const { document, editor } = await typed('(define (f (x float)) (* x x))\n');
        await vscode.workspace.getConfiguration('editor').update('linkedEditing', true, true);
        const at = new vscode.Position(0, 13);
        editor.selection = new vscode.Selection(at, at);
        await until('all of them', async () => {
            await vscode.commands.executeCommand('type', { text: 'y' });
            await new Promise((resolve) => setTimeout(resolve, 300));
            const done = document.getText() === '(define (f (xy float)) (* xy xy))\n';
            if (!done) await vscode.commands.executeCommand('undo');
            return done;
        });
        await vscode.workspace.getConfiguration('editor').update('linkedEditing', undefined, true);
        await close();
    });

    await check('[comments] a line is commented out', async () => {
        const { document } = await typed('(define x 1)\n');
        await vscode.commands.executeCommand('editor.action.commentLine');
        assert.equal(document.getText(), '; (define x 1)\n');
        await close();
    });

    // One program with every kind of hint, and what each kind writes.
    const hinted = [
        '(lift f (N M) ((array-type float N) (array-type float M))',
        '  (lambda (xs ys)',
        '    (map sqrt (filter (lambda (x) (> x 0.5f)) (map get1 (zip xs (: ys (array-type float N))))))))',
        '(define (g (x int)) ((lambda (h) x) +))',
        '(define (h (rows (array-type (i) (array-type float (+ i 1)) n)))',
        '  (map (lambda (row) (reduce 0.0f + row)) rows))',
        '',
    ].join('\n');
    const kinds = [
        ['togglePackUnpackHints', 'packUnpack', /^unpack X1/],
        ['toggleTypeHints', 'types', /^: Array\[Float,N\]/],
        ['toggleCheckHints', 'checks', /^checks /],
        ['togglePositionHints', 'positions', /^i =>/],
        ['togglePlacementHints', 'placements', /^Glb0$/],
        // Beside that of the type of `h`.
        ['toggleDefaultHints', 'defaults', /Int -> Int -> Int$/, 2],
    ];
    for (const [command, kind, label, count = 1] of kinds) {
        await check(`[options] hints of the kind ${kind} are turned off and on by a command`, async () => {
            const { document } = await typed(hinted);
            const all = new vscode.Range(0, 0, document.lineCount, 0);
            const labels = async () =>
                (await ask('executeInlayHintProvider', document.uri, all)).map((hint) =>
                    typeof hint.label === 'string' ? hint.label : hint.label.map((part) => part.value).join(''));
            const settings = () => vscode.workspace.getConfiguration('lift.inlayHints');
            const on = settings().get(kind);
            await until('hints', async () => (await labels()).length > 0);
            for (const wanted of [!on, on]) {
                await vscode.commands.executeCommand(`lift.${command}`);
                assert.equal(settings().get(kind), wanted);
                await until(`${label} is ${wanted}`, async () =>
                    ((await labels()).filter((text) => label.test(text)).length >= count) === wanted).catch(async (error) => {
                    throw new Error(`${error.message}: ${(await labels()).join(' | ')}`);
                });
            }
            await settings().update(kind, undefined, true);
            await close();
        });
    }

    await check('[tasks] the messages of a task are among the problems', async () => {
        const wrong = vscode.Uri.joinPath(folder, 'zip-error.lift');
        await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(wrong));
        const tasks = await vscode.tasks.fetchTasks({ type: 'lift' });
        assert.deepEqual(tasks.map((task) => task.name).sort(), ['build this file', 'check this file']);
        const before = await until('the error of the server', () => vscode.languages.getDiagnostics(wrong).length);
        await vscode.tasks.executeTask(tasks.find((task) => task.name === 'check this file'));
        const all = await until('one more', () => {
            const found = vscode.languages.getDiagnostics(wrong);
            return found.length > before && found;
        });
        const codes = new Set(all.map((d) => String(d.code?.value ?? d.code)));
        assert.deepEqual([...codes], ['unequal-lengths']);
        const lines = new Set(all.map((d) => d.range.start.line));
        assert.equal(lines.size, 1, 'both are at one line');
        await vscode.window.showTextDocument(document);
    });
};
