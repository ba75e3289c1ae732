from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

FONT = "DejaVuSans.ttf"


class LabelRenderer:
    def __init__(self, width: int = 812, height: int = 1218) -> None:
        self.size = (width, height)

    def render(self, lines: list[str]) -> bytes:
        image = Image.new("1", self.size, 1)
        draw = ImageDraw.Draw(image)
        font = ImageFont.truetype(FONT, 36)
        for n, line in enumerate(lines):
            draw.text((40, 40 + n * 48), line, font=font, fill=0)
        out = BytesIO()
        image.save(out, format="PNG")
        return out.getvalue()
