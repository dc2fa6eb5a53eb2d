// Bundles the extension and its tests, and writes down the licences of what is bundled.
import { build } from "esbuild";
import { copyFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const common = { bundle: true, platform: "node", target: "node20", format: "cjs", external: ["vscode"] };

await rm("dist", { recursive: true, force: true });
const { metafile } = await build({
  ...common,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  minify: true,
  metafile: true,
});
await build({ ...common, entryPoints: ["test/client.test.ts"], outdir: "dist/test" });

const packages = new Set(
  Object.keys(metafile.inputs).flatMap((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []),
);
const licences = await Promise.all(
  [...packages].sort().map(async (folder) => {
    const { name, version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
    if (!file) throw new Error(`${folder} has no licence file; do not bundle it`);
    return `${name} ${version}\n\n${(await readFile(join(folder, file), "utf8")).trim()}\n`;
  }),
);
await writeFile("dist/licences.txt", licences.join(`\n${"-".repeat(80)}\n\n`));
await copyFile("../../LICENSE", "LICENSE.txt");
